// The sandbox phone, in English.
import type { Words } from '../words.ts'

export const phone: Words['phone'] = {
  title: 'Sandbox phone',
  lead: 'Play the customer: sandbox payments that wait for an answer ring here.',
  idle: 'Nothing to approve.',
  idleHelp: 'Create a payment in the sandbox: its prompt appears here.',
  prompt: (merchant: string) => `${merchant} asks for a payment`,
  pin: 'PIN',
  pinHelp: 'Any four digits.',
  approve: 'Approve',
  decline: 'Decline',
  noCredit: 'Not enough money',
  ignore: 'Ignore',
  done: {
    approve: 'Approved: the payment succeeds.',
    decline: 'Declined: the payment fails.',
    no_credit: 'Not enough money: the payment fails.',
    ignore: 'Ignored: the prompt will expire.',
  },
  queue: (more: number) => (more === 1 ? 'One more prompt waits.' : `${more} more prompts wait.`),
  numbers: 'Test numbers',
  numbersLead: 'The number decides what happens. Any other number succeeds.',
  number: 'Number',
  country: 'Country',
  outcome: 'What happens',
  outcomes: {},
  screen: 'Screen of the sandbox phone',
}
