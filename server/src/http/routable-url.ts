// Makes a request's URL fit for the router, whatever a client has written.
import type { IncomingMessage } from 'node:http'

declare module 'node:http' {
  interface IncomingMessage {
    /** The name at the end of an opaque path, still encoded. */
    nameInPath?: string
  }
}

/** A path with a name that its route decodes itself: before `suffix`, which may be empty. */
export type OpaquePath = { method: string; prefix: string; suffix: string }

/**
 * The URL for the router. The name at the end of an opaque path may hold any percent-encoding, even one that is not
 * UTF-8. Its route answers that with a 404 after its other checks, so the name is kept in `nameInPath` and the router
 * gets a placeholder. Any other path that cannot be decoded is not found.
 */
export function routableUrl(request: IncomingMessage, opaquePaths: readonly OpaquePath[]): string {
  const url = originForm(request.url as string)
  const end = url.indexOf('?')
  const path = plainPath(end === -1 ? url : url.slice(0, end))
  const query = end === -1 ? '' : url.slice(end)
  const opaque = opaquePathOf(path, request.method as string, opaquePaths)
  if (opaque !== undefined) {
    const { prefix, suffix } = opaque
    request.nameInPath = nameBetween(path, opaque)
    return `${prefix}name${suffix}${query}`
  }
  return canBeDecoded(path) ? path + query : '/undecodable'
}

/** The longest suffix that fits; one that another method has is a part of the name. */
function opaquePathOf(path: string, method: string, opaquePaths: readonly OpaquePath[]): OpaquePath | undefined {
  const fitting = opaquePaths.filter((each) => path.startsWith(each.prefix))
  return (
    fitting.find((each) => each.method === method && hasSuffix(path, each)) ??
    fitting.find((each) => each.suffix === '')
  )
}

/** Whether there is a name before a suffix that is not empty. */
const hasSuffix = (path: string, { prefix, suffix }: Pick<OpaquePath, 'prefix' | 'suffix'>): boolean =>
  suffix !== '' && path.endsWith(suffix) && path.length > prefix.length + suffix.length

const nameBetween = (path: string, { prefix, suffix }: Pick<OpaquePath, 'prefix' | 'suffix'>): string =>
  path.slice(prefix.length, path.length - suffix.length)

/** A request line may hold the absolute URL (RFC 9112 §3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  return url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
}

/** Letters, digits and `-._~` mean the same with and without a percent sign (RFC 3986 §2.3). */
function plainPath(path: string): string {
  if (!path.includes('%')) return path
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded
  })
}

function canBeDecoded(path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
