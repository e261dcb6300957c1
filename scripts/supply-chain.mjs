// npm run supply-chain: writes the packages of a server with versions and licences to
// sbom.cdx.json, and runs npm audit on them. Exits with 1 for a high or critical vulnerability.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

function npm(...args) {
  return spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

const bill = npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev')
if (bill.status !== 0) {
  process.stderr.write(`${bill.stderr}\nThe package list could not be created.\n`)
  process.exit(1)
}
writeFileSync(join(root, 'sbom.cdx.json'), bill.stdout)
process.stdout.write(`sbom.cdx.json: ${JSON.parse(bill.stdout).components.length} packages\n`)

const audit = npm('audit', '--omit', 'dev', '--audit-level', 'high')
process.stdout.write(audit.stdout)
if (audit.status !== 0) {
  process.stderr.write(audit.stderr)
  process.exit(1)
}
