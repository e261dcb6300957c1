// The countries of spec §2.1 and their mobile money operators. The prefixes are hints collected
// from public tables that disagree in places: they route a number, they never refuse one (D-09),
// and a setting corrects them (D-43).
import { lookUp } from './free-text.ts'
import type { Language } from './person.ts'

export const COUNTRIES = ['NE', 'BJ'] as const

export type Country = (typeof COUNTRIES)[number]

/** The first operator takes the numbers whose prefix is in no list. */
const plan = (callingCode: string, prefixes: Readonly<Record<string, string>>) => ({
  callingCode,
  defaultOperator: Object.keys(prefixes)[0] as string,
  /** First two digits of the eight-digit subscriber number, by operator. */
  prefixes: Object.fromEntries(
    Object.entries(prefixes).map(([operator, listed]) => [operator, listed.split(' ')]),
  ),
})

export const PLANS: Readonly<Record<Country, ReturnType<typeof plan>>> = {
  NE: plan('227', {
    airtel_ne: '76 77 78 79 86 87 88 89 96 97 98 99',
    zamani_ne: '70 71 72 80 81 82 90 91 92',
    moov_ne: '74 75 84 85 94 95',
    niger_telecoms_ne: '83 93',
  }),
  BJ: plan('229', {
    mtn_bj: '42 46 50 51 52 53 54 56 57 59 61 62 66 67 69 90 91 96 97',
    moov_bj: '45 55 58 60 63 64 65 68 94 95 98 99',
    celtiis_bj: '40 41 43 44 47 48',
  }),
}

export const isCountry = (value: unknown): value is Country => value === 'NE' || value === 'BJ'

// Operators as payers know them: the name of their money service, the same in every language, and a
// colour to recognise it by. The colours are our own, chosen near those of the brands; no
// information is in the colour alone.

export interface ShownOperator {
  name: string
  colour: string
  /** Readable on the colour: a contrast of at least 4.5. */
  textColour: string
}

const [WHITE, DARK] = ['#fff', '#1d1a2b']

export const SHOWN_OPERATORS: Readonly<Record<string, ShownOperator>> = {
  airtel_ne: { name: 'Airtel Money', colour: '#c8102e', textColour: WHITE },
  zamani_ne: { name: 'Zamani Cash', colour: '#f28c28', textColour: DARK },
  moov_ne: { name: 'Moov Money', colour: '#00569d', textColour: WHITE },
  niger_telecoms_ne: { name: 'Niger Telecoms', colour: '#006b3f', textColour: WHITE },
  mtn_bj: { name: 'MTN MoMo', colour: '#ffcb05', textColour: DARK },
  moov_bj: { name: 'Moov Money', colour: '#00569d', textColour: WHITE },
  celtiis_bj: { name: 'Celtiis Cash', colour: '#5a2d82', textColour: WHITE },
}

/**
 * Methods of a provider's page, and operators with one name in both countries: the country is part
 * of their name.
 */
const NAMES: Readonly<Record<Language, Record<string, string>>> = {
  fr: {
    moov_ne: 'Moov Money Niger',
    moov_bj: 'Moov Money Bénin',
    bank_card: 'Carte bancaire',
    wallet: 'Portefeuille',
  },
  en: {
    moov_ne: 'Moov Money Niger',
    moov_bj: 'Moov Money Benin',
    bank_card: 'Bank card',
    wallet: 'Wallet',
  },
}

/** Where the country is not next to it. The plain name of an operator that is not in the table. */
export const operatorName = (operator: string, language: Language = 'fr'): string =>
  lookUp(NAMES[language], operator) ?? shownOperator(operator)?.name ?? operator

export const shownOperator = (operator: string): ShownOperator | undefined =>
  lookUp(SHOWN_OPERATORS, operator)

// What people call a connection to a network: by their own label, else by its network and country.

export interface NamedConnection {
  connection: string
  /** Of a merchant's own connection; null for one of the installation. */
  connectionLabel: string | null
}

const COUNTRY_NAMES: Readonly<Record<Language, Record<Country, string>>> = {
  fr: { NE: 'Niger', BJ: 'Bénin' },
  en: { NE: 'Niger', BJ: 'Benin' },
}

/**
 * Networks by the beginning of the names that installations give to connections, and of connectors'
 * names.
 */
const NETWORKS: Readonly<Record<string, string>> = {
  mtn: 'MTN MoMo',
  moov: 'Moov Money',
  celtiis: 'Celtiis Cash',
  airtel: 'Airtel Money',
  zamani: 'Zamani Cash',
  'niger-telecoms': 'Niger Telecoms',
  fedapay: 'FedaPay',
  pawapay: 'pawaPay',
}
const NAMED = new RegExp(
  `^(${Object.keys(NETWORKS).join('|')})(?:-momo|-money|-cash)?(?:-([a-z0-9-]+))?$`,
)
const COUNTRY_WORDS: Readonly<Record<string, Country>> = {
  niger: 'NE',
  ne: 'NE',
  benin: 'BJ',
  bj: 'BJ',
}

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
    else countries.push(COUNTRY_NAMES[language][country])
  }
  const where = countries.length === 0 ? [] : [`(${countries.join(', ')})`]
  return [name, ...others, ...where].join(' ')
}

/**
 * An installation may give a connection any name. One that begins with no network is shown as it
 * is.
 */
export function connectionName(
  { connection, connectionLabel }: NamedConnection,
  language: Language,
): string {
  if (connectionLabel !== null) return connectionLabel
  const operator = shownOperator(connection)
  // Connections for methods of a provider's page have the method's name.
  if (operator === undefined)
    return inWords(connection, language) ?? operatorName(connection, language)
  const country = connection.slice(-2).toUpperCase()
  return isCountry(country)
    ? `${operator.name} (${COUNTRY_NAMES[language][country]})`
    : operator.name
}
