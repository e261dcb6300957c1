// Live updates: the server says what has changed, and that is read again. Where the server has no stream for this page, everything is read again now and then.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveEvent } from '../../../server/src/dashboard-api/shapes.ts'
import { lookUp } from '../../../server/src/domain/look-up.ts'
import { CHANGED_PARTS } from './account.ts'
import { addressOf } from './client.ts'

/** A browser gives up for good on an answer that is no stream, such as a refusal; then the page reads and asks again, not too often. */
const AGAIN_AFTER_MS = 30_000

export function useLiveUpdates(accountId: string): void {
  const client = useQueryClient()
  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = (): void => void client.invalidateQueries({ queryKey: [`accounts/${accountId}`] })
    const open = (): void => {
      let isFirst = true
      source = new EventSource(addressOf(`accounts/${accountId}/live`))
      source.onmessage = ({ data }) => {
        const { changed } = JSON.parse(data) as LiveEvent
        for (const part of lookUp(CHANGED_PARTS, changed) ?? [])
          void client.invalidateQueries({ queryKey: [`accounts/${accountId}`, part] })
      }
      source.onopen = () => {
        // Whatever changed while the stream was broken was not heard.
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
      source?.close()
    }
  }, [accountId, client])
}
