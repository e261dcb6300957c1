// Benin: its numbers, its clock and its mobile money operators. In November 2024 01 was put before
// every number of eight digits.
import { type CountryFacts, DARK, MOOV_MONEY, WHITE } from './country-facts.ts'

export const BENIN = {
  code: 'BJ',
  alpha3: 'BEN',
  names: { fr: 'Bénin', en: 'Benin' },
  callingCode: '229',
  numbers: {
    digits: 10,
    trunk: '01',
    // Eight digits from 0 on are a new number cut short: completing them would debit a stranger.
    forms: [/^01(\d{8})$/, /^([1-9]\d{7})$/],
  },
  clock: { utcOffsetMinutes: 60, city: 'Porto-Novo' },
  operators: {
    mtn_bj: {
      name: 'MTN MoMo',
      colour: '#ffcb05',
      textColour: DARK,
      prefixes: [
        '42',
        '46',
        '50',
        '51',
        '52',
        '53',
        '54',
        '56',
        '57',
        '59',
        '61',
        '62',
        '66',
        '67',
        '69',
        '90',
        '91',
        '96',
        '97',
      ],
    },
    moov_bj: {
      ...MOOV_MONEY,
      prefixes: ['45', '55', '58', '60', '63', '64', '65', '68', '94', '95', '98', '99'],
    },
    celtiis_bj: {
      name: 'Celtiis Cash',
      colour: '#5a2d82',
      textColour: WHITE,
      prefixes: ['40', '41', '43', '44', '47', '48'],
    },
  },
} as const satisfies CountryFacts
