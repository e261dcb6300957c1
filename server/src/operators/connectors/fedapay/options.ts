// The options of a FedaPay connection. docs/operators-file.md is generated from the descriptions.
import { z } from 'zod'

const mode = z.string().regex(/^[a-z_]+$/)

export const fedapayOptions = (secret: z.ZodType<string>) =>
  z.strictObject({
    secretKey: secret.describe('Secret key, sk_live_… or sk_sandbox_….'),
    webhookSecret: secret.optional().describe('Webhook secret, wh_…. Without it anyone can trigger a poll.'),
    modes: z
      .strictObject({
        mtn_bj: mode.optional(),
        moov_bj: mode.optional(),
        celtiis_bj: mode.optional(),
        airtel_ne: mode.optional(),
      })
      .default({})
      .describe(
        'FedaPay’s names of operators, where they differ from mtn_open, moov, sbin and airtel_ne (sandbox: momo_test).',
      ),
    beninNumbers: z
      .enum(['ten_digits', 'eight_digits'])
      .optional()
      .describe('Whether numbers of Benin are sent with their 01; by default yes in live, no in sandbox.'),
    customerEmail: z.email().optional().describe('Email address of every customer, where FedaPay asks for one.'),
    modeTellsPrompt: z
      .boolean()
      .default(true)
      .describe(
        'Whether a transaction without mode, payment method and error proves that its payer was never prompted.',
      ),
    cancelByDelete: z
      .boolean()
      .default(true)
      .describe(
        'Whether an unused page is deleted when its payer gives up; otherwise it can be paid until it expires.',
      ),
    xofCurrencyId: z.int().default(1).describe('FedaPay’s id of XOF; any other id is another currency.'),
    userAgent: z.string().default('Karba/1.0').describe('User-Agent; the gateway may refuse some.'),
  })

export type FedapayOptions = z.infer<ReturnType<typeof fedapayOptions>>
