// The language of the shell, from the environment variables and in the order that POSIX defines.

export type Language = 'en' | 'fr'

export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  // An empty variable counts as not set.
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return locale.toLowerCase().startsWith('fr') ? 'fr' : 'en'
}
