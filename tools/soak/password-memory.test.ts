// The memory of password hashing: it is that of the process, which a slow file has for itself.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { passwordHasher } from '../../server/src/service/password-hasher.ts'
import { realRandom } from '../../server/src/service/runtime.ts'

const MOST_KEPT_MB = 30

const residentMb = (): number =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

it('password hashing: memory is returned to the system, whichever thread computed the hash', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const { hash } = passwordHasher(realRandom)
  await hash('the first one')
  const before = residentMb()
  for (let round = 0; round < 8; round++) await Promise.all([hash('one'), hash('another')])
  const keptMb = residentMb() - before
  assert.ok(keptMb < MOST_KEPT_MB, `${keptMb.toFixed(0)} MB are kept`)
})
