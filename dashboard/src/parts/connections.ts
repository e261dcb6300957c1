// How a connection to a network, an operator or a payment method is called, in the language of the page.
import { connectionName, type NamedConnection } from '../../../server/src/domain/connection-name.ts'
import { operatorName } from '../../../server/src/domain/country.ts'
import { useSpoken } from '../words/language.tsx'

export function useConnectionName(): (named: NamedConnection | string) => string {
  const { language } = useSpoken()
  return (named) =>
    connectionName(typeof named === 'string' ? { connection: named, connectionLabel: null } : named, language)
}

export function useOperatorName(): (operator: string) => string {
  const { language } = useSpoken()
  return (operator) => operatorName(operator, language)
}
