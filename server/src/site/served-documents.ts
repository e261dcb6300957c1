// The documents for merchants' developers as Markdown at addresses below /docs, and /llms.txt,
// which lists them for programs that read documentation. Only files of this table are read: no part
// of a request's address becomes a path.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { eachCountry } from '../domain/countries/country.ts'
import type { Document } from '../http/send-document.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'

const ROOT = new URL('../../../', import.meta.url)

const GUIDES = [
  'README',
  'first-payment',
  'webhooks',
  'refunds',
  'payment-links',
  'button',
  'errors',
  'accounting',
  'going-live',
  'moving',
]

interface ServedDocument {
  address: string
  /** In the repository. */
  file: string
  chapter: string
}

const inDocs =
  (chapter: string) =>
  (name: string): ServedDocument => ({
    address: `/docs/${name}.md`,
    file: `docs/${name}.md`,
    chapter,
  })

const README_FILES: readonly [name: string, file: string][] = [
  ['clients/node', 'sdk/README.md'],
  ['clients/php', 'clients/php/README.md'],
  ['clients/php.fr', 'clients/php/README.fr.md'],
  ['clients/python', 'clients/python/README.md'],
  ['merchant-cli', 'merchant-cli/README.md'],
  ['examples', 'examples/README.md'],
  ['examples/django', 'examples/django/README.md'],
  ['examples/fastapi', 'examples/fastapi/README.md'],
]

export const SERVED_DOCUMENTS: readonly ServedDocument[] = [
  ...GUIDES.map((name) => `guides/en/${name}`).map(inDocs('Guides')),
  ...['errors', 'states', 'sandbox', 'payment-links', 'checkout-script', 'contract'].map(
    inDocs('Reference'),
  ),
  ...README_FILES.map(([name, file]) => ({
    address: `/docs/${name}.md`,
    file,
    chapter: 'Clients and examples',
  })),
  ...GUIDES.map((name) => `guides/fr/${name}`).map(inDocs('Guides en français')),
]

const OPENAPI_ADDRESS = `${BASE_PATH}/openapi.json`
export const POSTMAN_ADDRESS = `${BASE_PATH}/postman.json`
export const LLMS_ADDRESS = '/llms.txt'

/** Where the links of documents to files of the repository lead. */
const ADDRESSES = new Map([
  ['docs/openapi.json', OPENAPI_ADDRESS],
  ...SERVED_DOCUMENTS.map(({ file, address }): [string, string] => [file, address]),
])

const markdown = (text: string): Document => ({
  contentType: 'text/markdown; charset=utf-8',
  text,
  // Tools on other sites may read it.
  headers: { 'access-control-allow-origin': '*' },
})

const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

export const servedDocument = ({ file }: ServedDocument): Document =>
  markdown(withServedLinks(read(file).replace(/^<!--.*?-->\s*/, ''), file))

/**
 * A link to a served document leads to its address. One to another file of the repository, which
 * this service does not have, becomes its text. Code stays as it is.
 */
function withServedLinks(text: string, file: string): string {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : linksServed(part, file)))
    .join('')
}

const linksServed = (text: string, file: string): string =>
  text.replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]+)?\)/g,
    (_whole, label: string, path: string, chapter = '') => {
      const address = ADDRESSES.get(posix.join(posix.dirname(file), path))
      return address === undefined ? label : `[${label}](${address}${chapter})`
    },
  )

/** The rules that cost money when a program that writes an integration does not know them. */
const RULES = [
  '- The answer to a creation is not final. Deliver only when a read or a verified webhook says `succeeded`, and compare the amount with the order.',
  '- After a lost answer read the payment by its `transaction_id`, or send the same request again. Never send it with a new `transaction_id`: that would be a second payment.',
  '- Every call has four headers, on GET too: `Content-Type: application/json`, `Authorization: Bearer sk_…`, `Svc-Target-Environment` and `Svc-Payment-Type`.',
  "- The secret key (`sk_…`) stays on the merchant's server. A page has only the public key (`pk_…`).",
  '- Verify webhooks over the raw body. An event may arrive twice.',
  '- Amounts are whole francs (XOF).',
].join('\n')

/** In the form of llmstxt.org. */
export function llmsText(): Document {
  const titleOf = (file: string): string => /^# (.+)$/m.exec(read(file))?.[1] ?? file
  const chapters = [...Map.groupBy(SERVED_DOCUMENTS, ({ chapter }) => chapter)].map(
    ([chapter, documents]) =>
      [
        `## ${chapter}`,
        '',
        ...documents.map(({ file, address }) => `- [${titleOf(file)}](${address})`),
      ].join('\n'),
  )
  const countries = eachCountry(({ names }) => names.en).join(', ')
  const descriptions = `## API descriptions

- [OpenAPI 3.1](${OPENAPI_ADDRESS}): every operation, field and error
- [Postman collection](${POSTMAN_ADDRESS}): made from it, with variables for address and keys`
  return markdown(
    `${[
      '# Karba',
      `> A merchant payments API for mobile money in ${countries}: payments, payment links, refunds, webhooks and statements. Addresses below are on this service; the base address of the API is ${BASE_PATH}.`,
      RULES,
      descriptions,
      ...chapters,
    ].join('\n\n')}\n`,
  )
}
