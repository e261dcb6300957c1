// Every connector that the operators file can name. The simulated network is not one of them: it is there without a file.
import type { Connector } from '../connector.ts'

export const CONNECTORS: readonly Connector[] = []

export const connectorNamed = (name: string): Connector | undefined => CONNECTORS.find((each) => each.name === name)
