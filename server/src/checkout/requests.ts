// What every payers' page reads of a request, and its short answers: fields, the language, messages.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Page, readForm, sendPage } from '../http/html.ts'
import type { Language } from './link-view.ts'
import { type Message, messagePage } from './page-frame.ts'

export function message(request: FastifyRequest, reply: FastifyReply, kind: Message): FastifyReply {
  const code = { not_found: 404, no_page: 404, too_many: 429, unavailable: 503 }[kind]
  if (code !== 404) reply.header('retry-after', '5')
  return sendPage(reply, code, messagePage(kind, languageOf(request)))
}

/** The page for an unknown address of any part of the service. */
export const missingPage = (acceptLanguage: string): Page => messagePage('no_page', preferredLanguage(acceptLanguage))

export function fieldOf(request: FastifyRequest, name: string): string | undefined {
  const asked = (request.query as Record<string, unknown>)[name] ?? readForm(request.body).get(name)
  return typeof asked === 'string' ? asked : undefined
}

export function languageOf(request: FastifyRequest): Language {
  const chosen = fieldOf(request, 'lang')
  if (chosen === 'fr' || chosen === 'en') return chosen
  return preferredLanguage(request.headers['accept-language'] ?? '')
}

/** French unless English is liked better: what the browser likes as well as French, most payers here do not. */
export function preferredLanguage(acceptLanguage: string): Language {
  const liked = { fr: 0, en: 0 }
  for (const range of acceptLanguage.toLowerCase().split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const language = tag.split('-', 1)[0] as Language
    if (!Object.hasOwn(liked, language)) continue
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
    liked[language] = Math.max(liked[language], Number(weight) || 0)
  }
  return liked.en > liked.fr ? 'en' : 'fr'
}
