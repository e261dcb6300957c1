// The PI-SPI code: the text is the one that the BCEAO publishes, its CRC is right by another
// computation, and two independent readers find the text in the picture.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import jsqr from 'jsqr'
import encodeQR from 'qr'
import decodeQR from 'qr/decode.js'
import { isPiAlias, type PiOrder, piQrText } from './pi-qr.ts'

const ALIAS = '3497a720-ab11-4973-9619-534e04f263a1'
const order = (change: Partial<PiOrder>): PiOrder => ({
  alias: ALIAS,
  country: 'NE',
  reference: 'x',
  ...change,
})

/** By a table, most significant bit first: another way than the service's. */
function crcByTable(text: string): string {
  const table = Array.from({ length: 256 }, (_, byte) => {
    let rest = byte << 8
    for (let bit = 0; bit < 8; bit++) rest = rest & 0x8000 ? (rest << 1) ^ 0x1021 : rest << 1
    return rest & 0xffff
  })
  let crc = 0xffff
  for (const byte of Buffer.from(text))
    crc = ((crc << 8) ^ (table[((crc >> 8) ^ byte) & 0xff] as number)) & 0xffff
  return crc.toString(16).padStart(4, '0').toUpperCase()
}

/** The tags of a text, by their EMVCo lengths. */
function fieldsOf(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < text.length; ) {
    const length = Number(text.slice(at + 2, at + 4))
    fields[text.slice(at, at + 2)] = text.slice(at + 4, at + 4 + length)
    at += 4 + length
  }
  return fields
}

it('PI-SPI codes: the CRC is that of the BCEAO’s published example', () => {
  const body =
    '00020136560012int.bceao.pi0136111c3e1b-4312-49ec-b75e-4c8c74c10fd7520400005303952540410005802CI5901X6001X62270516F2YG7643D5HH202311035006304'
  assert.equal(crcByTable(body), '9618')
  // CRC-16/CCITT-FALSE of the usual check text.
  assert.equal(crcByTable('123456789'), '29B1')
})

it('PI-SPI codes: the text is that of the BCEAO’s own generator, but for the country', () => {
  const published =
    '00020136560012int.bceao.pi01363497a720-ab11-4973-9619-534e04f263a15204000053039525802CI5901X6001X62210510CAISSE_A01110300063042345'
  const made = piQrText({ ...order({ reference: 'CAISSE_A01' }), country: 'CI' as 'NE' })
  assert.equal(made, published)
  const fixed =
    '00020136560012int.bceao.pi01363497a720-ab11-4973-9619-534e04f263a1520400005303952540415005802CI5901X6001X62290518Produit-ABC-123654110300063049C73'
  assert.equal(
    piQrText({
      ...order({ reference: 'Produit-ABC-123654', amountXof: 1_500 }),
      country: 'CI' as 'NE',
    }),
    fixed,
  )
})

const ORDERS: PiOrder[] = [
  order({ reference: '7K2M-9QXD-4' }),
  order({ country: 'BJ', amountXof: 1 }),
  order({ amountXof: 999_999_999, reference: 'a reference of more than twenty-five characters' }),
]

for (const made of ORDERS)
  it(`PI-SPI codes: two readers find the text of ${made.country} ${made.amountXof ?? 'any amount'} in the picture`, () => {
    const text = piQrText(made)
    assert.equal(text.slice(-4), crcByTable(text.slice(0, -4)))
    const fields = fieldsOf(text)
    assert.deepEqual(fieldsOf(fields['36'] as string), { '00': 'int.bceao.pi', '01': ALIAS })
    assert.deepEqual(
      [fields['53'], fields['58'], fields['54']],
      ['952', made.country, made.amountXof?.toString()],
    )
    assert.ok((fieldsOf(fields['62'] as string)['05'] as string).length <= 25)
    const picture = drawn(text)
    assert.equal(decodeQR(picture), text)
    assert.equal(jsqr.default(picture.data, picture.width, picture.height)?.data, text)
  })

/** As a camera sees it: eight pixels for each module. */
function drawn(text: string): { width: number; height: number; data: Uint8ClampedArray } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 })
  const side = rows.length * 8
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (rows[y >> 3]?.[x >> 3]) data.fill(0, 4 * (y * side + x), 4 * (y * side + x) + 3)
  return { width: side, height: side, data }
}

it('PI-SPI aliases: a UUID of version 4 in small letters, and nothing else', () => {
  assert.ok(isPiAlias(ALIAS))
  for (const text of [
    '',
    ALIAS.toUpperCase(),
    `${ALIAS} `,
    ALIAS.slice(1),
    ALIAS.replace('-4', '-1'),
    '+22790123456',
  ])
    assert.ok(!isPiAlias(text), text)
})
