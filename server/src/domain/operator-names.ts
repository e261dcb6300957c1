// Operators as payers know them: the name of their money service, the same in every language, and a colour to recognise it by. The colours
// are our own, chosen near those of the brands; nothing is told by colour alone.

export interface ShownOperator {
  name: string
  colour: string
  /** Readable on the colour: a contrast of at least 4.5. */
  textColour: string
}

const [WHITE, DARK] = ['#fff', '#1d1a2b']

/** By the names of country.ts. */
export const SHOWN_OPERATORS: Readonly<Record<string, ShownOperator>> = {
  airtel_ne: { name: 'Airtel Money', colour: '#c8102e', textColour: WHITE },
  zamani_ne: { name: 'Zamani Cash', colour: '#f28c28', textColour: DARK },
  moov_ne: { name: 'Moov Money', colour: '#00569d', textColour: WHITE },
  niger_telecoms_ne: { name: 'Niger Telecoms', colour: '#006b3f', textColour: WHITE },
  mtn_bj: { name: 'MTN MoMo', colour: '#ffcb05', textColour: DARK },
  moov_bj: { name: 'Moov Money', colour: '#00569d', textColour: WHITE },
  celtiis_bj: { name: 'Celtiis Cash', colour: '#5a2d82', textColour: WHITE },
}

/** The plain name of an operator that is not in the table. */
export const operatorName = (operator: string): string => shownOperator(operator)?.name ?? operator

/** For the service's own people: the name, and the code that settings, commands and logs have. */
export const namedOperator = (operator: string): string => {
  const shown = shownOperator(operator)
  return shown === undefined ? operator : `${shown.name} (${operator})`
}

export const shownOperator = (operator: string): ShownOperator | undefined =>
  Object.hasOwn(SHOWN_OPERATORS, operator) ? SHOWN_OPERATORS[operator] : undefined
