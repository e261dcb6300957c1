// karba refund: requests a refund of a payment.
import { Command } from 'commander'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { requestedRefundFields } from '../wire/payment-story.ts'
import { granted } from './command-failed.ts'
import { PAYMENT_NAMES } from './payment-names.ts'
import { print } from './print.ts'
import { withRuntime } from './with-runtime.ts'

export function refundCommand(): Command {
  return new Command('refund')
    .description(
      'Asks the operator to give a succeeded payment back in full. It is refunded once the operator says so.',
    )
    .argument('<name>', PAYMENT_NAMES)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- refund 60dvs8n73hy897smacktapcy\n  npm run -s karba -- refund XF5X-ZEBB-9',
    )
    .action(refund)
}

async function refund(name: string, { json }: { json?: boolean }): Promise<void> {
  const refund = granted(await withRuntime((runtime, caller) => refundPayment(runtime, caller, { name })), { name })
  const { refundReference, reference } = refund
  print(json, requestedRefundFields(refund), [
    `The refund ${refundReference} of the payment ${reference} is on its way to the operator.`,
  ])
}
