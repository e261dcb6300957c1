// The texts of receipts that can be checked, of the counter screen and of the PI-SPI code.
import type { receipts as french } from './receipts-fr.ts'

export const receipts: typeof french = {
  lead: 'Anyone with this link or code sees the merchant, the amount, the date and the state, never the customer.',
  pdf: 'PDF',
  counter: 'Counter screen',
  pi: {
    title: 'PI-SPI code on posters',
    lead: 'Your live posters then carry a second QR code: customers pay from their bank or wallet, straight to your account. Karba does not see these payments.',
    alias: 'PI-SPI alias',
    help: 'From your bank or wallet, such as 3497a720-ab11-4973-9619-534e04f263a1. Empty: no code.',
  },
}
