// Which texts are a date or time, in which order, and in whose zone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { ColumnMapping } from './statement.ts'
import { readDateAndTime, readWrittenTime } from './written-time.ts'

type Form = Pick<ColumnMapping, 'dateOrder' | 'utcOffsetMinutes'>
const LOCAL: Form = { dateOrder: 'day_first', utcOffsetMinutes: 60 }
const IN_UTC: Form = { dateOrder: 'day_first', utcOffsetMinutes: 0 }
const MONTH_FIRST: Form = { dateOrder: 'month_first', utcOffsetMinutes: 0 }
const YEAR_FIRST: Form = { dateOrder: 'year_first', utcOffsetMinutes: 0 }

const READ: readonly [written: string, form: Form, iso: string][] = [
  ['2026-11-15', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['2026-11-15', LOCAL, '2026-11-14T23:00:00.000Z'],
  ['2026-11-15T09:30:12', LOCAL, '2026-11-15T08:30:12.000Z'],
  ['2026-11-15T09:30:12Z', LOCAL, '2026-11-15T09:30:12.000Z'],
  ['2026-11-15T09:30:12.345Z', LOCAL, '2026-11-15T09:30:12.000Z'],
  ['2026-11-15T09:30:12+01:00', IN_UTC, '2026-11-15T08:30:12.000Z'],
  ['2026-11-15 09:30:12 +0100', IN_UTC, '2026-11-15T08:30:12.000Z'],
  ['2026-11-15 09:30 UTC', LOCAL, '2026-11-15T09:30:00.000Z'],
  ['2026-11-15 09:30 -05', IN_UTC, '2026-11-15T14:30:00.000Z'],
  ['2026/11/15 09:30:12', IN_UTC, '2026-11-15T09:30:12.000Z'],
  ['2026/11/15 09:30:12', YEAR_FIRST, '2026-11-15T09:30:12.000Z'],
  ['15/11/2026 09:30', IN_UTC, '2026-11-15T09:30:00.000Z'],
  ['15/11/2026 09:30', LOCAL, '2026-11-15T08:30:00.000Z'],
  ['15-11-2026', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['15.11.2026', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['5/1/2026', IN_UTC, '2026-01-05T00:00:00.000Z'],
  ['15/11/26', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['15/11/2026 à 09h30', IN_UTC, '2026-11-15T09:30:00.000Z'],
  ['15/11/2026, 09:30:12', IN_UTC, '2026-11-15T09:30:12.000Z'],
  ['03/04/2026', IN_UTC, '2026-04-03T00:00:00.000Z'],
  ['03/04/2026', MONTH_FIRST, '2026-03-04T00:00:00.000Z'],
  ['11/15/2026 9:30 PM', MONTH_FIRST, '2026-11-15T21:30:00.000Z'],
  ['11/15/2026 12:05 a.m.', MONTH_FIRST, '2026-11-15T00:05:00.000Z'],
  ['15-Nov-2026', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['21-MAR-2026  19:57:32', IN_UTC, '2026-03-21T19:57:32.000Z'],
  ['23-MAR-26', IN_UTC, '2026-03-23T00:00:00.000Z'],
  ['15 nov. 2026', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['1er août 2026 09:30', IN_UTC, '2026-08-01T09:30:00.000Z'],
  ['15 févr. 2026', IN_UTC, '2026-02-15T00:00:00.000Z'],
  ['15 décembre 2026', IN_UTC, '2026-12-15T00:00:00.000Z'],
  ['Nov 15, 2026 09:30', IN_UTC, '2026-11-15T09:30:00.000Z'],
  ['29/02/2028', IN_UTC, '2028-02-29T00:00:00.000Z'],
  ['46341', IN_UTC, '2026-11-15T00:00:00.000Z'],
  ['46341.395833333336', IN_UTC, '2026-11-15T09:30:00.000Z'],
  ['46341,395833333336', LOCAL, '2026-11-15T08:30:00.000Z'],
]

const REFUSED: readonly [about: string, written: string, form: Form][] = [
  ['nothing', '', LOCAL],
  ['a word', 'Total', LOCAL],
  ['a time alone', '09:30', LOCAL],
  ['a day that the month does not have', '31/02/2026', LOCAL],
  ['29 February of another year', '29/02/2026', LOCAL],
  ['a month above twelve', '15/13/2026', LOCAL],
  ['a day first where the month comes first', '15/11/2026', MONTH_FIRST],
  ['a year last where it comes first', '15/11/2026', YEAR_FIRST],
  ['day zero', '00/11/2026', LOCAL],
  ['a year of another century', '15/11/1926', LOCAL],
  ['hour 24', '15/11/2026 24:00', LOCAL],
  ['minute 60', '15/11/2026 09:60', LOCAL],
  ['second 60', '15/11/2026 09:30:60', LOCAL],
  ['hour 13 before noon', '15/11/2026 13:00 AM', LOCAL],
  ['a zone of 15 hours', '2026-11-15 09:30 +15:00', LOCAL],
  ['a zone without a time', '2026-11-15Z', LOCAL],
  ['two separators', '15/11-2026', LOCAL],
  ['an unknown month', '15 brumaire 2026', LOCAL],
  ['a serial number of 1970', '25569', LOCAL],
  ['a serial number of 2150', '91313', LOCAL],
  ['digits alone', '20261115', LOCAL],
  ['a date and more', '15/11/2026 09:30 par Awa', LOCAL],
  ['a formula', '=46341', LOCAL],
  ['a text of a megabyte', '1/'.repeat(500_000), LOCAL],
]

for (const [written, form, iso] of READ) {
  it(`written times: ${JSON.stringify(written)}, ${form.dateOrder} at UTC+${form.utcOffsetMinutes} min, is ${iso}`, () => {
    const at = readWrittenTime(written, form)
    assert.equal(at === undefined ? at : new Date(at).toISOString(), iso)
  })
}

for (const [about, written, form] of REFUSED) {
  it(`written times: ${about} is refused: ${JSON.stringify(written.slice(0, 30))}`, () => {
    assert.equal(readWrittenTime(written, form), undefined)
  })
}

it('written times: any second of this century is read back from each form', () => {
  const seconds = fc.integer({
    min: Date.UTC(2000, 0, 1, 15) / 1_000,
    max: Date.UTC(2099, 11, 31, 8) / 1_000,
  })
  const offset = fc.integer({ min: -12 * 60, max: 14 * 60 })
  const order = fc.constantFrom('day_first', 'month_first', 'year_first', 'zone', 'serial')
  fc.assert(
    fc.property(seconds, offset, order, (second, utcOffsetMinutes, way) => {
      const at = second * 1_000
      const [date = '', time = ''] = new Date(at + utcOffsetMinutes * 60_000)
        .toISOString()
        .slice(0, 19)
        .split('T')
      const [year, month, day] = date.split('-')
      const written = {
        day_first: `${day}/${month}/${year} ${time}`,
        month_first: `${month}/${day}/${year} ${time}`,
        year_first: `${date}T${time}`,
        zone: `${new Date(at).toISOString().slice(0, 19)}+00:00`,
        serial: String((at / 60_000 + utcOffsetMinutes) / 1_440 + 25_569),
      }[way]
      const dateOrder = way === 'zone' || way === 'serial' ? 'day_first' : way
      assert.equal(readWrittenTime(written, { dateOrder, utcOffsetMinutes }), at, written)
    }),
    { numRuns: 2_000, seed: 1 },
  )
})

const BESIDE: readonly [date: string, time: string, iso: string | undefined][] = [
  ['15/11/2026', '', '2026-11-15T00:00:00.000Z'],
  ['15/11/2026', '09:30:12', '2026-11-15T09:30:12.000Z'],
  ['15/11/2026', '9h30', '2026-11-15T09:30:00.000Z'],
  ['15/11/2026', '9:30 PM', '2026-11-15T21:30:00.000Z'],
  ['46341', '0.3958333333', '2026-11-15T09:30:00.000Z'],
  ['46341.25', '09:30', '2026-11-15T06:00:00.000Z'],
  ['15/11/2026 08:00', '09:30', '2026-11-15T08:00:00.000Z'],
  ['15/11/2026', '15/11/2026 09:30', '2026-11-15T09:30:00.000Z'],
  ['15/11/2026', '16/11/2026 09:30', undefined],
  ['15/11/2026', 'morning', undefined],
  ['15/11/2026', '25:00', undefined],
]

for (const [date, time, iso] of BESIDE) {
  it(`written times: the date "${date}" beside the hour "${time}"`, () => {
    const at = readDateAndTime(date, time, IN_UTC)
    assert.equal(at && new Date(at).toISOString(), iso)
  })
}

const NAMES_OF_MONTHS = [
  'jan janv janvier january',
  'feb fev févr février february',
  'mar mars march',
  'apr avr avril april',
  'may mai',
  'jun juin june',
  'jul juil juillet july',
  'aug aoû août august',
  'sep sept septembre september',
  'oct octobre october',
  'nov novembre november',
  'dec déc décembre december',
]

for (const [index, names] of NAMES_OF_MONTHS.entries())
  it(`written times: month ${index + 1} is ${names}`, () => {
    for (const name of names.split(' '))
      assert.equal(readWrittenTime(`15 ${name} 2026`, IN_UTC), Date.UTC(2026, index, 15), name)
  })
