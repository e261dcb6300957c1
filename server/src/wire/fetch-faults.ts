// Why a statement was not fetched from its network, in sentences.
import type { StatementFault } from '../domain/statement.ts'
import type { FetchFault } from '../domain/statement-fetch.ts'
import { faultSentence } from './statement-faults.ts'

type Language = 'en' | 'fr'

const SENTENCES: Readonly<Record<FetchFault, { en: string; fr: string }>> = {
  not_reached: { en: 'The network could not be reached', fr: 'Le réseau n’a pas répondu' },
  credentials_refused: {
    en: 'The network refused the credentials of this connection',
    fr: 'Le réseau a refusé les identifiants de cette connexion',
  },
  request_refused: {
    en: 'The network refused to make the statement',
    fr: 'Le réseau a refusé d’établir le relevé',
  },
  not_made: { en: 'The network did not make the statement', fr: 'Le réseau n’a pas établi le relevé' },
  answer_not_valid: {
    en: 'The network’s answer was not understood',
    fr: 'La réponse du réseau n’a pas été comprise',
  },
  address_refused: {
    en: 'The network named a download address that is not allowed',
    fr: 'Le réseau a donné une adresse de téléchargement non autorisée',
  },
  download_failed: {
    en: 'The download of the statement broke off',
    fr: 'Le téléchargement du relevé s’est interrompu',
  },
  statement_refused: { en: 'The statement was refused', fr: 'Le relevé a été refusé' },
}

/** `why` as it is stored: for a refused statement its fault as JSON. */
export function fetchFaultSentence(fault: FetchFault, why: string, language: Language): string {
  const sentence = SENTENCES[fault][language]
  if (fault === 'statement_refused')
    return `${sentence}${language === 'fr' ? '\u00a0' : ''}: ${faultSentence(JSON.parse(why) as StatementFault, language)}`
  return why === '' ? `${sentence}.` : `${sentence} (${why}).`
}
