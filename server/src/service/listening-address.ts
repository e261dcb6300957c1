// Where a server listens: asked by its workers and its pages, which start before it listens.
import type { FastifyInstance } from 'fastify'

/** The address that the app listens on, as seen from this machine; undefined before it listens. */
export function addressOf(app: FastifyInstance): string | undefined {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return undefined
  const host =
    address.address === '0.0.0.0' || address.address === '::' ? '127.0.0.1' : address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
