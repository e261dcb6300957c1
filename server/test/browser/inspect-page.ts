// Checks of a page in a browser: accessibility (axe), text that is cut off, touch targets that are
// too small. The functions given to `evaluate` run in the browser.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page as Tab } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** For a tab whose every page is checked: axe costs 0.05 s of CPU for a page instead of 0.13. */
export const putAxeIntoNextPages = (tab: Tab): Promise<unknown> => tab.addInitScript(AXE)

/** Into every frame that lacks it, by the debugger: no content security policy stops it. */
async function putAxeInto(tab: Tab): Promise<void> {
  for (const frame of tab.frames())
    if (!(await frame.evaluate(`'axe' in globalThis`))) await frame.evaluate(AXE)
}

export type Findings = { barriers: string[]; cutOff: string[]; tooSmall: string[] }

/** Checks everything, only colours, or only what a change of size can break. */
export async function inspect(tab: Tab, at: 'whole' | 'colours' | 'size'): Promise<Findings> {
  return {
    barriers:
      at === 'size'
        ? []
        : await findBarriers(tab, at === 'colours' ? ['color-contrast'] : undefined),
    cutOff: at === 'colours' ? [] : await cutOff(tab),
    tooSmall: at === 'colours' ? [] : await tooSmall(tab),
  }
}

const CONTRAST = 'color-contrast'

/** The violations that axe finds, of any impact, with the element: of all rules, or of these. */
export async function findBarriers(tab: Tab, rules?: readonly string[]): Promise<string[]> {
  await putAxeInto(tab)
  const others = rules?.filter((rule) => rule !== CONTRAST)
  const found = others?.length === 0 ? [] : await tab.evaluate(runAxe, others)
  return others === undefined || others.length < (rules?.length ?? 0)
    ? [...found, ...(await lowContrast(tab))]
    : found
}

async function runAxe(only: readonly string[] | undefined): Promise<string[]> {
  const options =
    only === undefined ? { rules: { 'color-contrast': { enabled: false } } } : { runOnly: only }
  // @ts-expect-error putAxeInto.
  const { violations } = await globalThis.axe.run({ resultTypes: ['violations'], ...options })
  type Found = { id: string; impact: string; nodes: { html: string }[] }
  return (violations as Found[]).map(
    ({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`,
  )
}

/**
 * The looks of texts that axe has judged in any page of this process. Each of the hundreds of
 * documents has a copy.
 */
const judged = new Set<string>()

/**
 * Contrast depends on the colours of a text and of what is behind it. A text is skipped when axe
 * has judged another one of the same look: contrast took two thirds of the time of all rules.
 */
async function lowContrast(tab: Tab): Promise<string[]> {
  const hasCopy = await tab.evaluate<boolean>(`'judgedLooks' in globalThis`)
  const { violations, passed } = await tab.evaluate(judgeContrast, hasCopy ? [] : [...judged])
  for (const look of passed) judged.add(look)
  return violations
}

async function judgeContrast(
  given: readonly string[],
): Promise<{ violations: string[]; passed: string[] }> {
  // @ts-expect-error this runs in the browser.
  const { document, getComputedStyle, axe, scrollY } = globalThis
  // @ts-expect-error it is kept there.
  const known: Set<string> = globalThis.judgedLooks ?? new Set<string>(given)
  Object.assign(globalThis, { judgedLooks: known })
  type Each = typeof document.body
  const behind = new Map<Each, string>([[null, '']])
  const behindOf = (each: Each): string => {
    const found = behind.get(each)
    if (found !== undefined) return found
    const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(each)
    const own = `${backgroundColor} ${backgroundImage} ${opacity} ${filter}`
    const further = behindOf(each.parentElement)
    const all = own === 'rgba(0, 0, 0, 0) none 1 none' ? further : `${own}; ${further}`
    behind.set(each, all)
    return all
  }
  const lookOf = (text: Each): string => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(text)
    return [color, fontSize, fontWeight, textShadow, behindOf(text)].join('; ')
  }
  const hasText = (each: Each): boolean =>
    each.matches('input:not([type=radio], [type=checkbox]), select, textarea') ||
    [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')
  // Axe judges nothing there, and the link that skips to the content is there on every page.
  const isOffPage = (each: Each): boolean => {
    const { bottom, right, width } = each.getBoundingClientRect()
    return bottom + scrollY <= 0 || (right <= 0 && width > 0)
  }
  const isShown = (each: Each): boolean =>
    each.checkVisibility({ visibilityProperty: true }) && !isOffPage(each)
  const include = [...document.body.querySelectorAll('*')].filter(
    (each) => hasText(each) && isShown(each) && !known.has(lookOf(each)),
  )
  if (include.length === 0) return { violations: [], passed: [] }
  const resultTypes = ['violations', 'passes', 'incomplete']
  const { violations, passes, incomplete } = await axe.run(
    { include },
    { runOnly: ['color-contrast'], resultTypes, elementRef: true },
  )
  type Node = { html: string; element: Each; any: { data?: { messageKey?: string } }[] }
  const nodesOf = (results: { nodes: Node[] }[]): Node[] => results.flatMap(({ nodes }) => nodes)
  // Axe judges no text on a gradient, and a look has its gradients: the sandbox's band is one on
  // every page.
  const onGradients = nodesOf(incomplete).filter(
    ({ any }) => any[0]?.data?.messageKey === 'bgGradient',
  )
  const passed = [...nodesOf(passes), ...onGradients].map(({ element }) => lookOf(element))
  for (const look of passed) known.add(look)
  return { violations: nodesOf(violations).map(({ html }) => `color-contrast: ${html}`), passed }
}

/** Elements that reach beyond the screen, or whose text is wider than they are. */
function cutOff(tab: Tab): Promise<string[]> {
  return tab.evaluate(() => {
    // @ts-expect-error this runs in the browser.
    const { document, innerWidth } = globalThis
    return [...document.querySelectorAll('header *, main *')]
      .filter((each) => {
        const { left, right } = each.getBoundingClientRect()
        const isCrowded =
          each.matches('p, h1, dd, li, button, a') && each.scrollWidth > each.clientWidth + 1
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
