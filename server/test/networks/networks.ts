// The four networks, each with its connector and its simulator.
import { it } from 'node:test'
import { z } from 'zod'
import { airtelMoneyNetwork } from '../../../simulators/src/airtel-money/network.ts'
import { fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import { mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import { airtelMoney } from '../../src/operators/connectors/airtel-money/connector.ts'
import { fedapayConnector } from '../../src/operators/connectors/fedapay/connector.ts'
import { mtnMomo } from '../../src/operators/connectors/mtn-momo/connector.ts'
import { pawapay } from '../../src/operators/connectors/pawapay/connector.ts'
import type { NetworkUnderTest } from './harness.ts'

/** Three networks have one callback address for all payments, set in their dashboards. */
const callbacksTo = (name: string): string =>
  `https://karba.example/operators/sandbox/${name}-test/callback`

export const MTN: NetworkUnderTest = {
  connector: mtnMomo,
  makeNetwork: (deps, more) => mtnMomoNetwork(deps, more),
  options: ({ credentials }, more) =>
    mtnMomo.options(z.string()).parse({
      subscriptionKey: credentials.subscriptionKey,
      apiUser: credentials.apiUser,
      apiKey: credentials.apiKey,
      disbursement: {
        subscriptionKey: credentials.disbursementSubscriptionKey,
        apiUser: credentials.disbursementApiUser,
        apiKey: credentials.disbursementApiKey,
      },
      ...more,
    }),
  operator: 'mtn_bj',
  msisdn: '97000000',
  payer: '2290197000000',
}

export const AIRTEL: NetworkUnderTest = {
  connector: airtelMoney,
  makeNetwork: (deps, more) =>
    airtelMoneyNetwork(deps, { callbackUrl: callbacksTo('airtel-money'), ...more }),
  options: ({ credentials: { clientId, clientSecret, callbackKey } }, more) =>
    airtelMoney.options(z.string()).parse({ clientId, clientSecret, callbackKey, ...more }),
  operator: 'airtel_ne',
  msisdn: '97000000',
  payer: '22797000000',
}

export const FEDAPAY: NetworkUnderTest = {
  connector: fedapayConnector,
  makeNetwork: (deps, more) =>
    fedapayNetwork(deps, { webhookUrl: callbacksTo('fedapay'), ...more }),
  options: ({ credentials: { secretKey, webhookSecret } }, more) =>
    fedapayConnector.options(z.string()).parse({ secretKey, webhookSecret, ...more }),
  operator: 'mtn_bj',
  msisdn: '66000001',
  payer: '2290166000001',
}

export const PAWAPAY: NetworkUnderTest = {
  connector: pawapay,
  makeNetwork: (deps, more) =>
    pawapayNetwork(deps, { callbackUrls: { DEPOSIT: callbacksTo('pawapay') }, ...more }),
  options: ({ credentials: { apiToken } }, more) =>
    pawapay.options(z.string()).parse({ apiToken, callbacks: 'signed', ...more }),
  operator: 'mtn_bj',
  msisdn: '97000000',
  payer: '2290151345789',
}

export const NETWORKS = { mtn: MTN, airtel: AIRTEL, fedapay: FEDAPAY, pawapay: PAWAPAY } as const

export type NetworkName = keyof typeof NETWORKS

export interface Rules {
  /** `mtn-momo: a refund is made once`. */
  rule(title: string, test: () => unknown): void
  /** The rules within begin with this subject. */
  about(subject: string, rules: () => void): void
}

export function rulesOf(network: string): Rules {
  let subjects = ''
  return {
    rule: (title, test) =>
      void it(`${network}: ${subjects}${title}`, async () => void (await test())),
    about: (subject, rules) => {
      const outer = subjects
      subjects += `${subject} `
      rules()
      subjects = outer
    },
  }
}
