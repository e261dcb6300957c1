// What people call a connection to a network: by their own label, else by its operator and country.
import { type Country, isCountry, shownOperator } from './country.ts'
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

/** Connections for methods of a provider's page have the method's name. */
const METHODS: Readonly<Record<Language, Record<string, string>>> = {
  fr: { bank_card: 'Carte bancaire', wallet: 'Portefeuille' },
  en: { bank_card: 'Bank card', wallet: 'Wallet' },
}

/** An installation may have given a connection any name: that name is shown as it is. */
export function connectionName({ connection, connectionLabel }: NamedConnection, language: Language): string {
  if (connectionLabel !== null) return connectionLabel
  const operator = shownOperator(connection)
  if (operator === undefined) return lookUp(METHODS[language], connection) ?? connection
  const country = connection.slice(-2).toUpperCase()
  return isCountry(country) ? `${operator.name} (${COUNTRIES[language][country]})` : operator.name
}
