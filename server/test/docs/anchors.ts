// The anchors of a Markdown document: those that GitHub derives from headings, and explicit ones.
export function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  return new Set([
    ...headings,
    ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string),
  ])
}
