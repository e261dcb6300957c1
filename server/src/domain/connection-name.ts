// What people call a connection to a network: by their own label, else by its network and country.
import { type Country, isCountry, operatorName, shownOperator } from './country.ts'
import { lookUp } from './look-up.ts'
import type { Language } from './person.ts'

export interface NamedConnection {
  connection: string
  /** Of a merchant's own connection; null for one of the installation. */
  connectionLabel: string | null
}

const COUNTRIES: Readonly<Record<Language, Record<Country, string>>> = {
  fr: { NE: 'Niger', BJ: 'Bénin' },
  en: { NE: 'Niger', BJ: 'Benin' },
}

/** Networks by the beginning of the names that installations give to connections, and of connectors' names. */
const NETWORKS: Readonly<Record<string, string>> = {
  ...{ mtn: 'MTN MoMo', moov: 'Moov Money', celtiis: 'Celtiis Cash', airtel: 'Airtel Money', zamani: 'Zamani Cash' },
  ...{ 'niger-telecoms': 'Niger Telecoms', fedapay: 'FedaPay', pawapay: 'pawaPay' },
}
const NAMED = new RegExp(`^(${Object.keys(NETWORKS).join('|')})(?:-momo|-money|-cash)?(?:-([a-z0-9-]+))?$`)
const COUNTRY_WORDS: Readonly<Record<string, Country>> = { niger: 'NE', ne: 'NE', benin: 'BJ', bj: 'BJ' }

/** `pawapay-benin-2` is “pawaPay 2 (Bénin)”; undefined for a name that begins with no network. */
function inWords(connection: string, language: Language): string | undefined {
  const [, network = '', rest = ''] = NAMED.exec(connection) ?? []
  const name = lookUp(NETWORKS, network)
  if (name === undefined) return undefined
  const countries: string[] = []
  const others: string[] = []
  for (const word of rest.split('-').filter(Boolean)) {
    const country = lookUp(COUNTRY_WORDS, word)
    if (country === undefined) others.push(word)
    else countries.push(COUNTRIES[language][country])
  }
  const where = countries.length === 0 ? [] : [`(${countries.join(', ')})`]
  return [name, ...others, ...where].join(' ')
}

/** An installation may give a connection any name. One that begins with no network is shown as it is. */
export function connectionName({ connection, connectionLabel }: NamedConnection, language: Language): string {
  if (connectionLabel !== null) return connectionLabel
  const operator = shownOperator(connection)
  // Connections for methods of a provider's page have the method's name.
  if (operator === undefined) return inWords(connection, language) ?? operatorName(connection, language)
  const country = connection.slice(-2).toUpperCase()
  return isCountry(country) ? `${operator.name} (${COUNTRIES[language][country]})` : operator.name
}
