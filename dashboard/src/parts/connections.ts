// How a connection to a network is called, in the language of the page.
import { connectionName, type NamedConnection } from '../../../server/src/domain/connection-name.ts'
import { useSpoken } from '../words/language.tsx'

export function useConnectionName(): (named: NamedConnection) => string {
  const { language } = useSpoken()
  return (named) => connectionName(named, language)
}
