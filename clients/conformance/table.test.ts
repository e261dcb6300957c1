// The table of the README is that of the cases, and each language has all that a client needs.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { CASES } from './cases.ts'
import { CLIENTS } from './clients.ts'
import { README, withTable } from './write-table.ts'

it('clients: the README shows which cases each client passes', () => {
  const readme = readFileSync(README, 'utf8')
  assert.equal(readme, withTable(readme), 'run `npm run docs`')
})

it('clients: an exception in clients.ts is the title of a case', () => {
  const titles = CASES.map(({ title }) => title)
  for (const { name, except = [] } of CLIENTS)
    for (const title of except) assert.ok(titles.includes(title), `${name}: ${title}`)
})

it('clients: each language has a driver in the kit, facts that a test compares, and what a package needs', () => {
  const folder = new URL('../', import.meta.url)
  const languages = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'conformance')
    .map(({ name }) => name)
  assert.ok(languages.length > 1)
  for (const language of languages) {
    const drivers = CLIENTS.filter(({ driver }) => driver.includes(`/clients/${language}/`))
    assert.ok(drivers.length > 0 && drivers.every(({ driver }) => existsSync(driver)), language)
    for (const file of ['facts.test.ts', 'write-facts.ts', 'README.md', 'CHANGELOG.md', 'LICENSE'])
      assert.ok(existsSync(new URL(`${language}/${file}`, folder)), `${language}/${file}`)
  }
})
