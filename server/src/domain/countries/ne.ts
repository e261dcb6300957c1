// Niger: its numbers, its clock and its mobile money operators.
import { type CountryFacts, DARK, MOOV_MONEY, WHITE } from './country-facts.ts'

export const NIGER = {
  code: 'NE',
  alpha3: 'NER',
  names: { fr: 'Niger', en: 'Niger' },
  callingCode: '227',
  numbers: {
    digits: 8,
    trunk: '',
    forms: [/^([789]\d{7})$/],
  },
  clock: { utcOffsetMinutes: 60, city: 'Niamey' },
  operators: {
    airtel_ne: {
      name: 'Airtel Money',
      colour: '#c8102e',
      textColour: WHITE,
      prefixes: ['76', '77', '78', '79', '86', '87', '88', '89', '96', '97', '98', '99'],
    },
    zamani_ne: {
      name: 'Zamani Cash',
      colour: '#f28c28',
      textColour: DARK,
      prefixes: ['70', '71', '72', '80', '81', '82', '90', '91', '92'],
    },
    moov_ne: {
      ...MOOV_MONEY,
      prefixes: ['74', '75', '84', '85', '94', '95'],
    },
    niger_telecoms_ne: {
      name: 'Niger Telecoms',
      colour: '#006b3f',
      textColour: WHITE,
      prefixes: ['83', '93'],
    },
  },
} as const satisfies CountryFacts
