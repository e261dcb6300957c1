// karba merchant checkout: the methods that an account offers on its payment links, and the sites whose pages may make one.
import { Command, InvalidArgumentError } from 'commander'
import {
  type CheckoutSettingsChange,
  changeCheckoutSettings,
  readCheckoutSettings,
} from '../actions/merchants/change-checkout-settings.ts'
import { isLinkMethod, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import { checkoutSettingsFields } from '../wire/merchant.ts'
import { listOf } from './arguments.ts'
import { granted } from './command-failed.ts'
import { print } from './print.ts'
import { withRuntime } from './with-runtime.ts'

export function checkoutCommand(): Command {
  return (
    new Command('checkout')
      // The old name of the command, still accepted.
      .alias('offer')
      .description(
        'Shows what an account offers on its payment links and which sites may make one; with options, sets it.',
      )
      .argument('<account>')
      .option('--methods <methods>', `what can be paid with, of ${LINK_METHODS.join(',')}`, listOf(linkMethod))
      .option('--origins <origins>', 'the sites whose pages may make links; "" for none', listOf(String))
      .option('--json', 'print one JSON object')
      .addHelpText(
        'after',
        '\nExamples:\n  npm run -s karba -- merchant checkout acc_0123456789ab\n  npm run -s karba -- merchant checkout acc_0123456789ab --methods mobile,bank_card --origins https://shop.example,http://localhost:3000',
      )
      .action(showOrSet)
  )
}

type CheckoutOptions = Omit<CheckoutSettingsChange, 'accountId'> & { json?: boolean }

async function showOrSet(accountId: string, { json, ...change }: CheckoutOptions): Promise<void> {
  const isChange = Object.keys(change).length > 0
  const settings = await withRuntime((runtime, caller) =>
    isChange
      ? changeCheckoutSettings(runtime, caller, { accountId, ...change })
      : readCheckoutSettings(runtime, caller, { accountId }),
  )
  const { methods, origins } = granted(settings, { name: accountId })
  print(json, checkoutSettingsFields(accountId, { methods, origins }), [
    `methods  ${methods.join(', ')}`,
    `origins  ${origins.length === 0 ? 'none: no page can make a link' : origins.join(', ')}`,
  ])
}

function linkMethod(name: string): LinkMethod {
  if (!isLinkMethod(name)) throw new InvalidArgumentError(`Choose from ${LINK_METHODS.join(', ')}.`)
  return name
}
