// Checks of a page in a browser: accessibility (axe), text that is cut off, touch targets that are too small. The functions given to
// `evaluate` run in the browser.
import { fileURLToPath } from 'node:url'
import type { Page as Tab } from 'playwright-core'

/** Where axe is. It is put into every page by the debugger, which no policy stops. */
export const PUT_INTO_PAGES = { path: fileURLToPath(import.meta.resolve('axe-core/axe.min.js')) }

export interface Findings {
  barriers: string[]
  cutOff: string[]
  tooSmall: string[]
}

/** Looks for everything, for colours alone, or for what a change of size can break. */
export async function inspect(tab: Tab, at: 'whole' | 'colours' | 'size'): Promise<Findings> {
  return {
    barriers: at === 'size' ? [] : await barriers(tab, at === 'colours'),
    cutOff: at === 'colours' ? [] : await cutOff(tab),
    tooSmall: at === 'colours' ? [] : await tooSmall(tab),
  }
}

/** Of any impact, as lines that say where. */
function barriers(tab: Tab, onlyColours: boolean): Promise<string[]> {
  return tab.evaluate(async (only) => {
    const options = { resultTypes: ['violations'], ...(only && { runOnly: ['color-contrast'] }) }
    // @ts-expect-error axe was put into the page.
    const { violations } = await globalThis.axe.run(options)
    type Found = { id: string; impact: string; nodes: { html: string }[] }
    return (violations as Found[]).map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`)
  }, onlyColours)
}

/** What reaches beyond the screen, or has more text than it has room for. */
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
