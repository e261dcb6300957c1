// Live updates: the server says what has changed, and that is read again.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveEvent } from '../../../server/src/dashboard-api/shapes.ts'
import { lookUp } from '../../../server/src/domain/look-up.ts'
import { CHANGED_PARTS } from './account.ts'
import { addressOf } from './client.ts'

/** A browser gives up for good on an answer that is no stream; then we ask again, not too often. */
const AGAIN_AFTER_MS = 30_000

export function useLiveUpdates(accountId: string): void {
  const client = useQueryClient()
  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      source = new EventSource(addressOf(`accounts/${accountId}/live`))
      source.onmessage = ({ data }) => {
        const { changed } = JSON.parse(data) as LiveEvent
        for (const part of lookUp(CHANGED_PARTS, changed) ?? [])
          void client.invalidateQueries({ queryKey: [`accounts/${accountId}`, part] })
      }
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_AFTER_MS)
      }
    }
    open()
    return () => {
      clearTimeout(timer)
      source?.close()
    }
  }, [accountId, client])
}
