// What a merchant may show to payers.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { contrastWithWhite, fileTypeOf, isColour, isPhone, LEAST_CONTRAST } from './brand.ts'

it('brand: white text is readable on a dark colour, and not on a light one', () => {
  assert.ok(contrastWithWhite('#000000') > 20)
  assert.equal(contrastWithWhite('#ffffff'), 1)
  assert.ok(contrastWithWhite('#0a7d4f') >= LEAST_CONTRAST)
  assert.ok(contrastWithWhite('#ffcb05') < LEAST_CONTRAST)
})

it('brand: a colour is written in six hexadecimal digits', () => {
  assert.deepEqual(['#0a7d4f', '#fff', 'red', '#0a7d4f;'].map(isColour), [
    true,
    false,
    false,
    false,
  ])
})

it('brand: a phone number has digits, and separators between them', () => {
  for (const phone of ['+227 96 12 34 56', '20.73.00.00', '+2290196123456'])
    assert.ok(isPhone(phone), phone)
  for (const phone of ['', 'call me', '+', '96 12', '96  12 34 56'])
    assert.ok(!isPhone(phone), phone)
})

it('brand: a file is what its first bytes say', () => {
  assert.equal(fileTypeOf(Buffer.from('%PDF-1.7')), 'application/pdf')
  assert.equal(fileTypeOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0])), 'image/jpeg')
  assert.equal(fileTypeOf(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), 'image/png')
  for (const other of ['<svg>', 'GIF89a', '%PD', ''])
    assert.equal(fileTypeOf(Buffer.from(other)), undefined)
})
