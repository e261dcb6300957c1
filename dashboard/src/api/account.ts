// Hooks that read and change one account. Query keys begin with the account: a change invalidates
// its queries.
import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { type LiveEvent, lookUp, type PageOf } from '../../../server/src/dashboard-api/contract.ts'
import type { AccountBase, AnswerOf, Base, Given, ReadOf } from './address.ts'
import { fileAt, read } from './client.ts'

/** The part of secrets, which the browser does not keep for work without a connection. */
export const SECRETS = 'secrets'

const keyOf = (base: Base, address: string, fields: unknown): QueryKey => [
  base,
  partOf(address),
  address,
  fields,
]

/** `links` of `GET /links/:reference`. */
const partOf = (address: string): string | undefined => address.split('/')[1]

export function useRead<At extends Base, Of extends ReadOf<At>>(
  base: At,
  address: Of,
  ...[fields]: Given<At, Of>
) {
  return useQuery({
    queryKey: keyOf(base, address, fields),
    queryFn: ({ signal }) => read(base, address, fields, signal),
    placeholderData: keepPreviousData,
  })
}

/** The addresses of lists. */
type ListOf<At extends Base> = {
  [Of in ReadOf<At>]: AnswerOf<At, Of> extends PageOf<unknown> ? Of : never
}[ReadOf<At>]

type RowOf<Answer> = Answer extends PageOf<infer Row> ? Row : never
type ListAt<At extends Base, Of extends ReadOf<At>> = AnswerOf<At, Of> &
  PageOf<RowOf<AnswerOf<At, Of>>>

export function usePages<At extends Base, Of extends ListOf<At>>(
  base: At,
  address: Of,
  ...[fields]: Given<At, Of>
) {
  const pages = useInfiniteQuery({
    queryKey: [...keyOf(base, address, fields), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      read(base, address, { ...fields, after: pageParam }, signal) as Promise<ListAt<At, Of>>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  })
  return { ...pages, rows: pages.data?.pages.flatMap(({ rows }) => rows) }
}

/** Shows the answer of a change in place of what the page had read, without reading it again. */
export function useShow<At extends Base>(base: At) {
  const client = useQueryClient()
  return <Of extends ReadOf<At>>(address: Of, fields: object, answer: AnswerOf<At, Of>): void => {
    client.setQueryData(keyOf(base, address, fields), answer)
  }
}

/** Waits for a change, after which the queries under the named parts of `base` run again. */
export function useChange(base: Base) {
  const client = useQueryClient()
  return async <Answer>(change: Promise<Answer>, ...parts: string[]): Promise<Answer> => {
    const answer = await change
    await Promise.all(parts.map((part) => client.invalidateQueries({ queryKey: [base, part] })))
    return answer
  }
}

const CHANGED_PARTS: Readonly<Record<LiveEvent['changed'], readonly string[]>> = {
  payments: ['payments', 'refunds', 'home', 'events', 'money', 'statement'],
  deliveries: ['deliveries', 'endpoints', 'payments'],
  links: ['links'],
  phone: ['phone'],
  home: ['home'],
}

// Live updates: the server says what changed, and the page reads it again.

/**
 * Changes that come together are read once: a second invalidation would abort the read of the first
 * and repeat it.
 */
const TOGETHER_MS = 50

/** A browser does not retry after an answer that is no stream, such as a refusal: the page does. */
const AGAIN_AFTER_MS = 30_000

export function useLiveUpdates(base: AccountBase): void {
  const client = useQueryClient()
  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let reading: ReturnType<typeof setTimeout> | undefined
    const changedParts = new Set<string>()
    const readChanged = (): void => {
      reading = undefined
      for (const part of changedParts) void client.invalidateQueries({ queryKey: [base, part] })
      changedParts.clear()
    }
    const readAgain = (): void => void client.invalidateQueries({ queryKey: [base] })
    const open = (): void => {
      let isFirst = true
      source = new EventSource(fileAt(base, 'GET /live'))
      source.onmessage = ({ data }) => {
        const { changed } = JSON.parse(data) as LiveEvent
        for (const part of lookUp(CHANGED_PARTS, changed) ?? []) changedParts.add(part)
        reading ??= setTimeout(readChanged, TOGETHER_MS)
      }
      source.onopen = () => {
        // The page missed the changes while the stream was broken.
        if (!isFirst) readAgain()
        isFirst = false
      }
      source.onerror = () => {
        if (source?.readyState !== EventSource.CLOSED) return
        timer = setTimeout(() => {
          readAgain()
          open()
        }, AGAIN_AFTER_MS)
      }
    }
    open()
    return () => {
      clearTimeout(timer)
      clearTimeout(reading)
      source?.close()
    }
  }, [base, client])
}
