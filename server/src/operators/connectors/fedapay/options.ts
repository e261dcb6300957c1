// What a connection to FedaPay needs beside its address. The sentences are its documentation.
import { z } from 'zod'

const mode = z.string().regex(/^[a-z_]+$/)

export const fedapayOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    secretKey: secret.describe('The secret key of the FedaPay account: sk_live_… or sk_sandbox_… (dashboard, API).'),
    webhookSecret: secret
      .optional()
      .describe(
        'The secret of the webhook that was made in the dashboard for this connection: wh_…. Without it callbacks are only hints from anybody.',
      ),
    modes: z
      .strictObject({
        mtn_bj: mode.optional(),
        moov_bj: mode.optional(),
        celtiis_bj: mode.optional(),
        airtel_ne: mode.optional(),
      })
      .default({})
      .describe(
        'FedaPay’s names of the operators, where they differ from mtn_open, moov, sbin and airtel_ne; in sandbox it has only momo_test.',
      ),
    beninNumbers: z
      .enum(['ten_digits', 'eight_digits'])
      .optional()
      .describe(
        'Whether numbers of Benin are sent with their 01 or without; in sandbox without, since its test numbers have eight digits, else with.',
      ),
    customerEmail: z
      .email()
      .optional()
      .describe('An e-mail address to put on every transaction’s customer, where FedaPay asks for one.'),
    modeTellsPrompt: z
      .boolean()
      .default(true)
      .describe(
        'Whether a transaction for a prompt that has no mode, no payment method and no error proves that its payer was never asked; if not, it counts as under way until it expires.',
      ),
    cancelByDelete: z
      .boolean()
      .default(true)
      .describe(
        'Whether a page that nobody tried to pay on is deleted when its payer gives up; if not, it can be paid until it expires.',
      ),
    xofCurrencyId: z
      .int()
      .default(1)
      .describe('FedaPay’s number of the franc CFA, by which a transaction in another currency is recognised.'),
    userAgent: z.string().default('Karba/1.0').describe('What we call ourselves; some gateways refuse some names.'),
  })

export type FedapayOptions = z.infer<ReturnType<typeof fedapayOptions>>
