// The QR code of PI-SPI, the BCEAO's instant payments: EMVCo's merchant-presented mode with the
// merchant's alias. It needs no credentials: the payer's own bank or wallet sends the money to the
// alias.
import type { Country } from '../countries/country.ts'

/** The merchant's address at PI-SPI: a UUID of version 4. */
const ALIAS = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const isPiAlias = (text: string): boolean => ALIAS.test(text)

export interface PiOrder {
  alias: string
  country: Country
  /** Undefined when the payer types the amount. */
  amountXof?: number | undefined
  /** Appears with the payment in the merchant's bank: at most 25 characters. */
  reference: string
}

const LONGEST_REFERENCE = 25

const field = (tag: string, value: string): string =>
  `${tag}${String(value.length).padStart(2, '0')}${value}`

/**
 * The BCEAO fixes the category 0000, an X for name and city, and the channel 000 of a static code.
 */
export function piQrText({ alias, country, amountXof, reference }: PiOrder): string {
  const text = [
    field('00', '01'),
    field('36', field('00', 'int.bceao.pi') + field('01', alias)),
    field('52', '0000'),
    field('53', '952'),
    amountXof === undefined ? '' : field('54', String(amountXof)),
    field('58', country),
    field('59', 'X'),
    field('60', 'X'),
    field('62', field('05', reference.slice(0, LONGEST_REFERENCE)) + field('11', '000')),
    '6304',
  ].join('')
  return text + crc16(text)
}

/** CRC-16/CCITT-FALSE: the polynomial 0x1021, from 0xffff on, four hexadecimal digits. */
function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++)
      crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
