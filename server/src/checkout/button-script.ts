// The script for the buttons on merchants' pages, as files and their hashes. Each has an address of its own that never changes what it
// serves, so that a page can pin it by its integrity hash.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export interface ButtonScript {
  text: string
  /** For a page that pins this version. */
  path: string
  integrity: string
}

const FOLDER = new URL('scripts/', import.meta.url)

function scriptOf(file: string): ButtonScript {
  const text = readFileSync(new URL(file, FOLDER), 'utf8').trim()
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const integrity = `sha384-${createHash('sha384').update(text).digest('base64')}`
  return { text, path: `/checkout-${version}.js`, integrity }
}

/** The script of this version. */
export const BUTTON_SCRIPT = scriptOf('button.min.js')

/** With those of earlier versions, kept as `button-<version>.min.js` for the pages that pinned them. */
export const SERVED_SCRIPTS: readonly ButtonScript[] = [
  BUTTON_SCRIPT,
  ...readdirSync(FOLDER)
    .filter((name) => /^button-.+\.min\.js$/.test(name))
    .map(scriptOf),
]
