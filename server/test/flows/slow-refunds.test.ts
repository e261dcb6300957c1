// Promise 27: refunds slower than anything, and two processes that look for them.
import { it } from 'node:test'
import { tried, tries } from '../kit/tries.ts'
import { runSlowRefunds } from './slow-refunds.ts'

const REFUNDS = tries(10, 200)

it(`of ${REFUNDS} refunds that take up to a minute, each is requested once by two processes`, async () => {
  await runSlowRefunds(REFUNDS)
  tried(REFUNDS)
})
