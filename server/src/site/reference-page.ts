// The reference of the API at /docs, made from the OpenAPI description: complete without a script. With one, each operation can be tried in
// sandbox. Nothing comes from another address (ADR-0018).
import { readFileSync } from 'node:fs'
import { type Html, html } from '../http/html.ts'
import type { Document } from '../http/send-document.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'
import { openApi } from '../merchant-api/openapi.ts'
import { type Answer, type Api, bodyOf, type Described, follow, type Parameter } from './described-api.ts'
import { fieldRows, typeText } from './field-rows.ts'
import { pageDocument, prose } from './page-document.ts'
import { tryForm } from './try-form.ts'

const SCRIPT = readFileSync(new URL('scripts/try-it.js', import.meta.url), 'utf8')

export function referencePage(): Document {
  const api = openApi() as Api
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    ['get', 'post'].flatMap((method) => {
      const described = item[method]
      const base = ((item.servers ?? api.servers)[0]?.url ?? '').replace(/\/$/, '')
      return described === undefined ? [] : [{ method: method.toUpperCase(), address: base + path, described }]
    }),
  )
  const events = Object.values(api.webhooks).map(({ post }) => post)
  return pageDocument({
    language: 'en',
    title: 'Karba API',
    description: 'The reference of the Karba merchant payments API.',
    script: SCRIPT,
    body: html`<div class="reference"><nav aria-label="Operations">
${operations.map(({ described, method }) => html`<a href="#${described.operationId}"><b>${method}</b> ${described.operationId}</a>`)}
${events.map(({ operationId }) => html`<a href="#${operationId}"><b>POST</b> webhooks</a>`)}
</nav><main>
<h1>${api.info.title} ${api.info.version}</h1>
<p>${prose(api.info.description)} Everything here is also in <a href="${BASE_PATH}/openapi.json">openapi.json</a>.</p>
<form class="key" hidden><label>Sandbox secret key, to try operations here. It stays in this page.
<input type="password" name="key" autocomplete="off" spellcheck="false" placeholder="sk_sandbox_…"></label></form>
${operations.map(({ method, address, described }) => section(api, described, html`<b>${method}</b> ${address}`, tryForm(method, address, described)))}
${events.map((described) => section(api, described, html`<b>POST</b> to your own address`, undefined))}
</main></div>`,
  })
}

function section(api: Api, described: Described, heading: Html, form: Html | undefined): Html {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = described
  const request = requestBody && bodyOf(requestBody)
  return html`<section id="${operationId}"><h2>${summary}</h2>
<p class="address">${heading}${described['x-addition'] && html` <em>addition</em>`}</p>
<p>${prose(description)}</p>
${parameters.length > 0 && table('Parameters', parameters.map(parameterRow))}
${request && html`${table('Body', fieldRows(api, request.schema))}${example('Example', request.example)}`}
${form}
<h3>Answers</h3>${Object.entries(responses).map(([status, answer]) => answerPart(api, status, follow(api, answer)))}
</section>`
}

function parameterRow({ name, in: where, required, description = '', schema }: Parameter): Html {
  return html`<tr><th scope="row"><code>${name}</code></th><td>${where}${required && html`, <b>required</b>`}</td><td>${typeText(schema)}${description && html`. ${prose(description)}`}</td></tr>`
}

function answerPart(api: Api, status: string, answer: Answer): Html {
  const body = bodyOf(answer)
  const isSuccess = status === '200'
  const headers = Object.entries(answer.headers ?? {}).map(
    ([name, header]) => html`<li><code>${name}</code> ${prose(follow(api, header).description ?? '')}</li>`,
  )
  return html`<details${isSuccess && html` open`}><summary><b>${status}</b></summary>
${answer.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
${isSuccess && body && html`${table('Fields', fieldRows(api, body.schema))}${example('Example', body.example)}`}
${headers.length > 0 && html`<p>Headers:</p><ul>${headers}</ul>`}</details>`
}

const table = (caption: string, rows: readonly Html[]): Html =>
  html`<div class="wide" role="group" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>${rows}</table></div>`

const example = (title: string, value: unknown): Html | false =>
  value !== undefined &&
  html`<figure><figcaption>${title}</figcaption><pre>${JSON.stringify(value, null, 2)}</pre></figure>`
