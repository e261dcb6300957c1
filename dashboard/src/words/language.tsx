// The language of the pages: the one chosen in this browser, else the browser's own. Only its table
// is loaded.
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react'
import type { LanguageName } from '../../../server/src/dashboard-api/contract.ts'
import { setLanguage } from '../format.ts'
import type { Words } from './fr.ts'
import { withoutInherited } from './table.ts'

const KEPT_AS = 'karba-language'
/**
 * The profile's language, for the next load: without it the page would switch its language after
 * showing.
 */
const ADOPTED_AS = 'karba-profile-language'

const load: Readonly<Record<LanguageName, () => Promise<{ words: Words }>>> = {
  fr: () => import('./fr.ts'),
  en: () => import('./en.ts'),
}

interface Table {
  language: LanguageName
  words: Words
}

interface LanguageState extends Table {
  choose(language: LanguageName): void
  /** The language of the person's profile, unless another was chosen in this browser. */
  adopt(language: LanguageName): void
}

const LanguageContext = createContext<LanguageState | null>(null)

function preferredLanguage(): LanguageName {
  const kept = localStorage.getItem(KEPT_AS) ?? localStorage.getItem(ADOPTED_AS)
  if (kept === 'fr' || kept === 'en') return kept
  return navigator.languages.some((each) => each.startsWith('fr')) ||
    !navigator.language.startsWith('en')
    ? 'fr'
    : 'en'
}

async function loadTable(language: LanguageName): Promise<Table> {
  const { words } = await load[language]()
  setLanguage(language)
  return { language, words: withoutInherited(words) }
}

export const loadPreferred = (): Promise<Table> => loadTable(preferredLanguage())

export function LanguageProvider({ first, children }: { first: Table; children: ReactNode }) {
  const [shown, setShown] = useState(first)
  useEffect(() => {
    document.documentElement.lang = shown.language
  }, [shown.language])
  const change = useCallback(
    (language: LanguageName): void => void loadTable(language).then(setShown),
    [],
  )
  const choose = useCallback(
    (language: LanguageName): void => {
      localStorage.setItem(KEPT_AS, language)
      change(language)
    },
    [change],
  )
  const adopt = useCallback(
    (language: LanguageName): void => {
      localStorage.setItem(ADOPTED_AS, language)
      if (localStorage.getItem(KEPT_AS) === null) change(language)
    },
    [change],
  )
  return <LanguageContext value={{ ...shown, choose, adopt }}>{children}</LanguageContext>
}

export function useLanguage(): LanguageState {
  const state = use(LanguageContext)
  if (state === null) throw new Error('there is no language around this component')
  return state
}

export const useWords = (): Words => useLanguage().words
