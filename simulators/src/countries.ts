// The countries of the simulated networks: their codes, the form of their numbers and their clock.
export interface SimulatedCountry {
  alpha2: string
  alpha3: string
  names: { en: string; fr: string }
  callingCode: string
  /** After the calling code. Benin's numbers of before have no 01. */
  national: RegExp
}

export const BENIN: SimulatedCountry = {
  alpha2: 'BJ',
  alpha3: 'BEN',
  names: { en: 'Benin', fr: 'Bénin' },
  callingCode: '229',
  national: /^(?:01)?(\d{8})$/,
}

export const NIGER: SimulatedCountry = {
  alpha2: 'NE',
  alpha3: 'NER',
  names: { en: 'Niger', fr: 'Niger' },
  callingCode: '227',
  national: /^(\d{8})$/,
}

const TOGO: SimulatedCountry = {
  alpha2: 'TG',
  alpha3: 'TGO',
  names: { en: 'Togo', fr: 'Togo' },
  callingCode: '228',
  national: /^(\d{8})$/,
}

const IVORY_COAST: SimulatedCountry = {
  alpha2: 'CI',
  alpha3: 'CIV',
  names: { en: 'Ivory Coast', fr: 'Côte d’Ivoire' },
  callingCode: '225',
  national: /^(\d{10})$/,
}

const SENEGAL: SimulatedCountry = {
  alpha2: 'SN',
  alpha3: 'SEN',
  names: { en: 'Senegal', fr: 'Sénégal' },
  callingCode: '221',
  national: /^(\d{9})$/,
}

const LISTED: readonly SimulatedCountry[] = [BENIN, NIGER, TOGO, IVORY_COAST, SENEGAL]

/** `bj`, as FedaPay writes it. */
export const findCountry = (alpha2: string): SimulatedCountry | undefined =>
  LISTED.find((each) => each.alpha2.toLowerCase() === alpha2)

/** The subscriber's digits of a number with its calling code; undefined for another country's. */
export const nationalIn = (
  number: string,
  { callingCode, national }: SimulatedCountry,
): string | undefined =>
  number.startsWith(callingCode) ? national.exec(number.slice(callingCode.length))?.[1] : undefined

/** The clock of statements is this far ahead of UTC, all year round. */
export const LOCAL_CLOCK_MS = 3_600_000
