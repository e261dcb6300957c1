// The networks that can be simulated in their own wire form, each as it is started alone: `karba simulator --network`.
import { airtelMoneyNetwork } from './airtel-money/network.ts'
import { fedapayNetwork } from './fedapay/network.ts'
import { mtnMomoNetwork } from './mtn-momo/network.ts'
import type { ConformanceNetwork, NetworkDeps } from './network.ts'
import { pawapayNetwork } from './pawapay/network.ts'

/** `callbackUrl`: where a network calls back whose portal asks for one address; MTN is given an address with each request. */
type MakeNetwork = (deps: NetworkDeps, callbackUrl: string | undefined) => ConformanceNetwork

export const SIMULATED_NETWORKS: Readonly<Record<string, MakeNetwork>> = {
  'mtn-momo': (deps) => mtnMomoNetwork(deps),
  'airtel-money': (deps, callbackUrl) => airtelMoneyNetwork(deps, callbackUrl === undefined ? {} : { callbackUrl }),
  fedapay: (deps, callbackUrl) => fedapayNetwork(deps, callbackUrl === undefined ? {} : { webhookUrl: callbackUrl }),
  pawapay: (deps, callbackUrl) =>
    pawapayNetwork(
      deps,
      callbackUrl === undefined ? {} : { callbackUrls: { DEPOSIT: callbackUrl, REFUND: callbackUrl } },
    ),
}
