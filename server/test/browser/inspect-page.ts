// Checks of a page in a browser: accessibility (axe), text that is cut off, touch targets that are too small. The functions given to
// `evaluate` run in the browser.
import { fileURLToPath } from 'node:url'
import type { Page as Tab } from 'playwright-core'

/** The debugger puts axe into every page; no content security policy stops it. */
export const PUT_INTO_PAGES = { path: fileURLToPath(import.meta.resolve('axe-core/axe.min.js')) }

export type Findings = { barriers: string[]; cutOff: string[]; tooSmall: string[] }

/** Checks everything, only colours, or only what a change of size can break. */
export async function inspect(tab: Tab, at: 'whole' | 'colours' | 'size'): Promise<Findings> {
  return {
    barriers: at === 'size' ? [] : await findBarriers(tab, at === 'colours' ? ['color-contrast'] : undefined),
    cutOff: at === 'colours' ? [] : await cutOff(tab),
    tooSmall: at === 'colours' ? [] : await tooSmall(tab),
  }
}

/** The violations that axe finds, of any impact, with the element. */
export const findBarriers = (tab: Tab, rules?: readonly string[]): Promise<string[]> =>
  tab.evaluate(async (only) => {
    const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) }
    // @ts-expect-error axe was put into the page.
    const { violations } = await globalThis.axe.run(options)
    type Found = { id: string; impact: string; nodes: { html: string }[] }
    return (violations as Found[]).map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`)
  }, rules)

/** Elements that reach beyond the screen, or whose text is wider than they are. */
function cutOff(tab: Tab): Promise<string[]> {
  return tab.evaluate(() => {
    // @ts-expect-error this runs in the browser.
    const { document, innerWidth } = globalThis
    return [...document.querySelectorAll('header *, main *')]
      .filter((each) => {
        const { left, right } = each.getBoundingClientRect()
        const isCrowded = each.matches('p, h1, dd, li, button, a') && each.scrollWidth > each.clientWidth + 1
        return left < -0.5 || right > innerWidth + 0.5 || isCrowded
      })
      .map((each) => `${innerWidth}: ${each.outerHTML.slice(0, 120)}`)
  })
}

/** 44 pixels each way, WCAG 2.5.5. */
function tooSmall(tab: Tab): Promise<string[]> {
  return tab.evaluate(() => {
    // @ts-expect-error this runs in the browser.
    const { document, innerWidth } = globalThis
    return [...document.querySelectorAll('a, button, select, summary, input:not([type=hidden])')]
      .filter((each) => {
        const { width, height } = each.getBoundingClientRect()
        return height > 0 && (width < 44 || height < 44)
      })
      .map((each) => `${innerWidth}: ${each.outerHTML.slice(0, 120)}`)
  })
}
