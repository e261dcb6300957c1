// How an operator, a payment method or a connection to a network is called: by its operator and country, or by the name that
// was given to it.
import { shownOperator } from '../../../server/src/domain/country.ts'
import { useWords } from '../words/language.tsx'

export function useConnectionName(): (connection: string) => string {
  const { account, connections } = useWords()
  const { countries } = account.business
  return (connection) => {
    const shown = shownOperator(connection)
    if (shown === undefined) return connections.hosted[connection] ?? connection
    const country = countries[connection.slice(-2).toUpperCase()]
    return country === undefined ? shown.name : `${shown.name} (${country})`
  }
}
