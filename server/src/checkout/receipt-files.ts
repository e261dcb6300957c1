// Draws receipts as PDFs, one at a time, with a pause after each: a PDF takes some 60 ms of the
// event loop. Callers wait for their turn and networks take turns, so that one network delays only
// itself (D-166). Receipts of the sandbox, which anyone can have for nothing, do not delay those of
// live payments.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../domain/clock-and-random.ts'
import { fairTurns, widestNetwork } from '../domain/limits/fair-shares.ts'
import type { Language } from '../domain/texts/language.ts'
import type { ReceiptView } from './receipt-page.ts'
import { receiptPdf } from './receipt-pdf.ts'

export class TooManyFiles extends Error {
  override name = 'TooManyFiles'
}

/** Strangers together use about a quarter of the event loop. */
const PAUSE_MS = 200
/** Asking again for a receipt costs nothing while it is kept. At most 60 kB each. */
const MOST_KEPT = 100
const TURNS = {
  atOnce: 1,
  mostWaiting: 100,
  mostWaitingOfGroup: 4,
  busy: () => new TooManyFiles('too many receipts wait to be drawn'),
}

export function receiptFiles(clock: Pick<Clock, 'after'>) {
  const inTurn = { live: fairTurns(TURNS), test: fairTurns(TURNS) }
  const kept = new LRUCache<string, Buffer>({ max: MOST_KEPT })

  /** The turn ends after the pause, but the caller does not wait for that. */
  const drawInTurn = (network: string, view: ReceiptView, language: Language): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const turn = async (): Promise<void> => {
        await receiptPdf(view, language).then(resolve, reject)
        await new Promise<void>((rested) => void clock.after(PAUSE_MS, rested))
      }
      inTurn[view.isTest ? 'test' : 'live'](widestNetwork(network), turn).catch(reject)
    })

  return async (network: string, view: ReceiptView, language: Language): Promise<Buffer> => {
    const name = JSON.stringify([view, language])
    const drawn = kept.get(name) ?? (await drawInTurn(network, view, language))
    kept.set(name, drawn)
    return drawn
  }
}
