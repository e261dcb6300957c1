// npm run docs: writes the documents that are generated from the code, and the SDK's types.
import { writeFileSync } from 'node:fs'
import { apiTypes } from '../../../sdk/write-types.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { generatedDocs } from './generated-docs.ts'

for (const [name, text] of Object.entries(generatedDocs())) write(`docs/${name}`, text)
write('sdk/src/api-types.ts', await apiTypes(openApi()))

function write(path: string, text: string): void {
  writeFileSync(new URL(`../../../${path}`, import.meta.url), text)
  process.stdout.write(`${path}\n`)
}
