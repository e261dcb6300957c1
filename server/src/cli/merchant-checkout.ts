// karba merchant checkout: the methods that an account offers on its payment links, the sites whose pages may make one, what those say, and
// a switch that stops the account's pages.
import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type CheckoutSettingsChange,
  changeCheckoutSettings,
  readCheckoutSettings,
} from '../actions/merchants/change-checkout-settings.ts'
import { isLinkMethod, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import { checkoutSettingsFields } from '../wire/command-output.ts'
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
      .addOption(
        new Option('--pages <pages>', 'off: no page can be paid on, and sites make no links').choices(['on', 'off']),
      )
      .option('--wording <text>', 'your own words on links that a page makes without a signed order; "" for none')
      .addOption(
        new Option('--page-titles <shown>', 'whether payers see what such a page calls its order').choices([
          'shown',
          'hidden',
        ]),
      )
      .option('--json', 'print one JSON object')
      .addHelpText(
        'after',
        '\nExamples:\n  npm run -s karba -- merchant checkout acc_0123456789ab\n  npm run -s karba -- merchant checkout acc_0123456789ab --methods mobile,bank_card --origins https://shop.example,http://localhost:3000\n  npm run -s karba -- merchant checkout acc_0123456789ab --wording "Tissus wax, Niamey" --page-titles hidden\n  npm run -s karba -- merchant checkout acc_0123456789ab --pages off',
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
  const { methods, origins, pages, wording, pageTitles } = granted(settings, { name: accountId })
  print(json, checkoutSettingsFields(accountId, { methods, origins, pages, wording, pageTitles }), [
    `methods      ${methods.join(', ')}`,
    `origins      ${origins.length === 0 ? 'none: no page can make a link' : origins.join(', ')}`,
    `pages        ${pages === 'on' ? 'on' : 'off: nothing can be paid on them'}`,
    `wording      ${wording === '' ? 'none' : wording}`,
    `page titles  ${pageTitles}`,
  ])
}

function linkMethod(name: string): LinkMethod {
  if (!isLinkMethod(name)) throw new InvalidArgumentError(`Choose from ${LINK_METHODS.join(', ')}.`)
  return name
}
