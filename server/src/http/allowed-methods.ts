// Which methods a path has, for the Allow header of a 405.

/** As the router does: a pattern of the whole path goes before one that takes whatever follows. */
export function methodsAt(methodsByPath: ReadonlyMap<string, string[]>, url: string): string[] | undefined {
  const path = url.split('?', 1)[0] as string
  const patterns = [...methodsByPath.keys()]
  const found =
    patterns.find((pattern) => !pattern.endsWith('*') && isOfPattern(path, pattern)) ??
    patterns.find((pattern) => pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
  return found === undefined ? undefined : methodsByPath.get(found)
}

/** `:name` matches anything between two slashes. */
function isOfPattern(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')]
  return given.length === wanted.length && wanted.every((part, at) => part === given[at] || part.startsWith(':'))
}
