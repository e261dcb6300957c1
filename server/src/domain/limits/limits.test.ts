// The constants of the limits, and the small helpers of caches and work.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharedSlots, WIDER_SHARES } from './fair-shares.ts'
import { getOrMake } from './get-or-make.ts'
import { bucketOf, emptyMinute, MINUTES, sumHour } from './minute-figures.ts'
import { singleFlight } from './single-flight.ts'
import {
  ACCOUNT_TRIES,
  afterTry,
  CONFIRMATION_TRIES,
  CONNECTION_TRIES,
  EMAIL_TRIES,
  FORGOTTEN_AFTER_MS,
  INVITED_TRIES,
  INVITING_TRIES,
  linkCooldown,
  NETWORK_TRIES,
  NO_TRIES,
  NUMBER_MEMORY,
  NUMBER_MEMORY_MS,
  numberCooldown,
  PAGES_MEMORY,
  PAGES_MEMORY_MS,
} from './try-limit.ts'

const MINUTE_MS = 60_000
const limit = (free: number, firstMinutes: number, longestMinutes: number) => ({
  free,
  firstWaitMs: firstMinutes * MINUTE_MS,
  longestWaitMs: longestMinutes * MINUTE_MS,
})

for (const [about, tries, expected] of [
  ['of an account', ACCOUNT_TRIES, limit(5, 0.5, 15)],
  ['of a network', NETWORK_TRIES, limit(50, 0.5, 60)],
  ['of emails', EMAIL_TRIES, limit(10, 1, 60)],
  ['of confirmations', CONFIRMATION_TRIES, limit(3, 5, 60)],
  ['of invitations to one address', INVITED_TRIES, limit(3, 10, 1_440)],
  ['of invitations of one merchant', INVITING_TRIES, limit(20, 1, 60)],
  ['of credentials', CONNECTION_TRIES, limit(20, 1, 15)],
] as const)
  it(`tries: ${about}, ${expected.free} are free`, () => assert.deepEqual(tries, expected))

it('tries: what is remembered, and for how long', () => {
  assert.deepEqual(NO_TRIES, { failures: 0, lastAt: 0, blockedUntil: 0 })
  assert.deepEqual(
    [FORGOTTEN_AFTER_MS, NUMBER_MEMORY_MS, NUMBER_MEMORY, PAGES_MEMORY_MS, PAGES_MEMORY],
    [86_400_000, 86_400_000, 18, 600_000, 400],
  )
})

it('tries: a wait ends at its moment, and names its limit', () => {
  const failed = (createdAt: number) => ({ status: 'failed', createdAt }) as const
  const three = [failed(3), failed(2), failed(1)]
  assert.deepEqual(numberCooldown(three, 5), { why: 'number', until: 600_001 })
  assert.equal(numberCooldown(three, 600_001), undefined)
  assert.deepEqual(numberCooldown([{ status: 'pending', createdAt: 1 }], 5), {
    why: 'number_pending',
    until: 60_005,
  })
  assert.deepEqual(linkCooldown({ attempts: 10, attemptAt: 0 }, 5), { why: 'link', until: 60_000 })
  assert.equal(linkCooldown({ attempts: 10, attemptAt: null }, 5), undefined)
})

it('tries: the wait stops growing, however many there were', () => {
  const endless = { free: 1, firstWaitMs: 1, longestWaitMs: Number.MAX_SAFE_INTEGER }
  const waitAfter = (failures: number) =>
    afterTry({ failures, lastAt: 0, blockedUntil: 0 }, 0, endless).blockedUntil
  assert.deepEqual([waitAfter(20), waitAfter(21), waitAfter(90)], [2 ** 20, 2 ** 20, 2 ** 20])
  assert.equal(waitAfter(19), 2 ** 19)
})

it('caches: a value is made once, and kept', () => {
  const cache = new Map<string, number>()
  let made = 0
  const make = () => ++made
  assert.deepEqual(
    [getOrMake(cache, 'a', make), getOrMake(cache, 'a', make), getOrMake(cache, 'b', make)],
    [1, 1, 2],
  )
  assert.deepEqual(
    [...cache],
    [
      ['a', 1],
      ['b', 2],
    ],
  )
})

it('single flight: calls during a run share it, and a later call begins another', async () => {
  let runs = 0
  const ends: ((run: number) => void)[] = []
  const fly = singleFlight(() => {
    runs++
    return new Promise<number>((resolve) => ends.push(resolve))
  })
  const both = Promise.all([fly(), fly()])
  ends[0]?.(7)
  assert.deepEqual([await both, runs], [[7, 7], 1])
  const later = fly()
  ends[1]?.(8)
  assert.deepEqual([await later, runs], [8, 2])
})

it('networks: the /56 may use four times a network’s limit, and the /48 sixteen times', () =>
  assert.deepEqual(WIDER_SHARES, [4, 16]))

it('slots: a released slot is free again, once', () => {
  const take = sharedSlots({
    most: 2,
    ofPerson: 1,
    unvalidated: { most: 1, ofNetwork: 1, ofWidest: 1 },
  })
  const hold = (personId: string, isValidated = true) => {
    const held = take({ personId, network: '41.138.5.6', isValidated })
    return held
  }
  const first = hold('a')
  assert.equal(hold('a'), 'own')
  const second = hold('b', false)
  assert.equal(hold('c', false), 'shared')
  assert.equal(hold('c'), 'shared')
  if (typeof first === 'string' || typeof second === 'string') assert.fail('no slot')
  first()
  first()
  assert.equal(typeof hold('c'), 'function')
  assert.equal(hold('d'), 'shared')
  second()
  assert.equal(typeof hold('d', false), 'function')
})

it('minute figures: a create counts in the first bucket that it fits', () => {
  const mostMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 5_000]
  for (const [bucket, most] of mostMs.entries()) {
    assert.equal(bucketOf(most / 1_000), bucket)
    assert.equal(bucketOf((most + 0.01) / 1_000), bucket + 1)
  }
  assert.equal(MINUTES, 60)
  assert.equal(emptyMinute(5).latencies.length, mostMs.length + 1)
})

it('minute figures: percentiles are of all creates, and operators in the order of their names', () => {
  const counts = { ...emptyMinute(9), created: 100 }
  counts.latencies[0] = 98
  counts.latencies[3] = 1
  counts.latencies[9] = 1
  const operators = { mtn_bj: { succeeded: 1, failed: 2 }, airtel_ne: { succeeded: 0, failed: 3 } }
  const { minutes, operators: sums } = sumHour(
    [
      { ...counts, operators },
      { ...emptyMinute(9), operators: { mtn_bj: { succeeded: 4, failed: 5 } } },
    ],
    9,
  )
  assert.partialDeepStrictEqual(minutes.at(-1), { createP50: 0.5, createP99: 5 })
  assert.deepEqual(sums, [
    { name: 'airtel_ne', succeeded: 0, failed: 3 },
    { name: 'mtn_bj', succeeded: 5, failed: 7 },
  ])
})
