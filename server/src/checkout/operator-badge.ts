// An operator's name on its colour. The colours are rules of the style sheet: the policy of our pages allows no style on an element.
import { operatorName, SHOWN_OPERATORS, shownOperator } from '../domain/operator-names.ts'
import { type Html, html } from '../http/html.ts'

export function operatorBadge(operator: string): Html {
  const name = operatorName(operator)
  return shownOperator(operator) === undefined ? html`<b>${name}</b>` : html`<b class="badge n ${operator}">${name}</b>`
}

/** One rule for each operator. */
export const BADGE_COLOURS = Object.entries(SHOWN_OPERATORS)
  .map(([operator, { colour, textColour }]) => `.${operator}{color:${textColour};background:${colour}}`)
  .join('')
