// npm run docs: writes the documents that are generated from the code, and the SDK's types from the OpenAPI description among them.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generatedDocs } from './generated-docs.ts'

const FOLDER = new URL('../../../docs/', import.meta.url)
const SDK_TYPES = new URL('../../../sdk/write-types.ts', import.meta.url)

for (const [name, text] of Object.entries(generatedDocs())) {
  writeFileSync(new URL(name, FOLDER), text)
  process.stdout.write(`docs/${name}\n`)
}
execFileSync(process.execPath, [fileURLToPath(SDK_TYPES)], { stdio: 'inherit' })
