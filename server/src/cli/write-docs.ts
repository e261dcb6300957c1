// npm run docs: writes the documents that are generated from the code.
import { writeFileSync } from 'node:fs'
import { generatedDocs } from './generated-docs.ts'

const FOLDER = new URL('../../../docs/', import.meta.url)

for (const [name, text] of Object.entries(generatedDocs())) {
  writeFileSync(new URL(name, FOLDER), text)
  process.stdout.write(`docs/${name}\n`)
}
