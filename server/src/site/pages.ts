// The page at /: what this service is, in French and in English, and where to go. And the page at
// /docs/errors: every error of the API with its hint in both languages; the Link header of an error
// leads to its section.
import { readFileSync } from 'node:fs'
import { MARK, MARK_ADDRESS } from '../checkout/page-frame.ts'
import { eachCountry } from '../domain/countries/country.ts'
import type { Language } from '../domain/texts/language.ts'
import { contentSecurityPolicy, type Html, html, policyHash, trusted } from '../http/html.ts'
import type { Document } from '../http/send-document.ts'
import { BASE_PATH, errorsByStatus } from '../merchant-api/contract.ts'
import { hintOf } from '../wire/refusals.ts'

const STYLE = ['../checkout/styles/colours.css', 'home-page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('')

type Page = {
  language: string
  title: string
  description: string
  main: Html
}

const document = ({ language, title, description, main }: Page): Document => ({
  contentType: 'text/html; charset=utf-8',
  text: html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="description" content="${description}">
<link rel="icon" href="${MARK_ADDRESS}">
<style>${trusted(STYLE)}</style></head>
<body>
<header><a href="/">${MARK}Karba</a><nav><a href="/docs">API</a><a href="/dashboard/">Dashboard</a></nav></header>
<main>
${main}</main>
</body></html>
`.toString(),
  headers: {
    'content-security-policy': contentSecurityPolicy({ styles: [policyHash(STYLE)], scripts: [] }),
    'referrer-policy': 'no-referrer',
  },
})

const namesIn = (language: Language): string =>
  eachCountry(({ names }) => names[language]).join(', ')

export const homePage = (): Document =>
  document({
    language: 'fr',
    title: 'Karba',
    description: 'Paiements mobile money pour les marchands. Mobile money payments for merchants.',
    main: html`<h1>Paiements mobile money pour les marchands</h1>
<p>Bienvenue sur Karba. Les marchands encaissent ici par mobile money et suivent le résultat de chaque paiement. Pays : ${namesIn('fr')}.</p>
<ul>
<li><b>Vous avez reçu un lien de paiement ?</b> Ouvrez l’adresse complète : elle commence par l’adresse de ce site, suivie de <code>/pay/</code>.</li>
<li><b>Vous êtes marchand ?</b> <a href="/dashboard/">Ouvrez votre tableau de bord</a>, ou <a href="/dashboard/sign-up">créez un compte</a>.</li>
<li><b>Vous êtes développeur ?</b> Lisez la <a href="/docs">référence de l’API</a> et essayez-la dans le bac à sable. <a href="/docs/guides/fr/README.md">Guides</a>. Descriptions : <a href="${BASE_PATH}/openapi.json">OpenAPI 3.1</a>, <a href="${BASE_PATH}/postman.json">Postman</a>, <a href="/llms.txt">llms.txt</a>.</li>
</ul>
<section lang="en">
<h2>Mobile money payments for merchants</h2>
<p>Welcome to Karba. Merchants collect mobile money payments here and follow the result of each payment. Countries: ${namesIn('en')}.</p>
<ul>
<li><b>Did you receive a payment link?</b> Open the complete address: it begins with the address of this site, followed by <code>/pay/</code>.</li>
<li><b>Are you a merchant?</b> <a href="/dashboard/">Open your dashboard</a>, or <a href="/dashboard/sign-up">create an account</a>.</li>
<li><b>Are you a developer?</b> Read the <a href="/docs">API reference</a> and try it in the sandbox. <a href="/docs/guides/en/README.md">Guides</a>. Descriptions: <a href="${BASE_PATH}/openapi.json">OpenAPI 3.1</a>, <a href="${BASE_PATH}/postman.json">Postman</a>, <a href="/llms.txt">llms.txt</a>.</li>
</ul>
</section>
`,
  })

export const errorsPage = (): Document =>
  document({
    language: 'en',
    title: 'Errors of the Karba API',
    description: 'Every error of the Karba merchant payments API, and what to do.',
    main: html`<h1>Errors</h1>
<p>An error has its code in <code>Svc-Error-Code</code>, the field or header at fault in <code>Svc-Error-Param</code>, and what to do in <code>Svc-Error-Hint</code>. Quote <code>X-Request-Id</code> to the operator of the service.</p>
${errorsByStatus().map(
  ([status, cases]) => html`<section>
<h2>${status}</h2>
<ul>
${cases.map(
  ({ code, message }) => html`<li id="${code}"><b><code>${code}</code></b>
<p>${message}</p>
<p>${hintOf(code, 'en') ?? ''}</p>
<p lang="fr">${hintOf(code, 'fr') ?? ''}</p></li>
`,
)}</ul>
</section>
`,
)}`,
  })
