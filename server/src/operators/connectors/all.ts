// Every connector that the operators file can name. The simulated network is there without a file.
import type { Connector } from '../connector.ts'
import { airtelMoney } from './airtel-money/connector.ts'
import { fedapayConnector } from './fedapay/connector.ts'
import { mtnMomo } from './mtn-momo/connector.ts'
import { pawapay } from './pawapay/connector.ts'

/** A connector's own schema reads its options, so their type need not be known elsewhere. */
const anyOptions = <Options>(connector: Connector<Options>): Connector =>
  connector as unknown as Connector

export const CONNECTORS: readonly Connector[] = [
  anyOptions(mtnMomo),
  anyOptions(airtelMoney),
  anyOptions(fedapayConnector),
  anyOptions(pawapay),
]
