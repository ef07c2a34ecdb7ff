import { defaultTreeAdapter, parse, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5'

export type Element = Tree.Element

/** A parsed HTML document. `allElements` includes elements inside templates. */
export interface ParsedPage {
  allElements(): Element[]
  findAll(tag: string): Element[]
  /** Returns the only element with this tag and these attributes. Ignores templates. */
  findOne(tag: string, attributes?: Record<string, string>): Element
  toHtml(): string
}

const { isElementNode, isTextNode } = defaultTreeAdapter

function isTemplate(element: Element): element is Tree.Template {
  return element.tagName === 'template'
}

function listDescendants(node: Tree.ParentNode, includesTemplates: boolean): Element[] {
  return node.childNodes
    .filter(isElementNode)
    .flatMap((element) => [
      element,
      ...listDescendants(element, includesTemplates),
      ...(includesTemplates && isTemplate(element)
        ? listDescendants(element.content, includesTemplates)
        : []),
    ])
}

export function findElements(element: Element, tag: string): Element[] {
  return listDescendants(element, true).filter(({ tagName }) => tagName === tag)
}

export function textOf(element: Element | undefined): string {
  return (element?.childNodes ?? [])
    .map((node) => (isTextNode(node) ? node.value : isElementNode(node) ? textOf(node) : ''))
    .join('')
}

export function attributeOf(element: Element | undefined, name: string): string | undefined {
  return element?.attrs.find((attribute) => attribute.name === name)?.value
}

export function parsePage(html: string): ParsedPage {
  const document = parse(html)
  return {
    allElements: () => listDescendants(document, true),
    findAll: (tag) => listDescendants(document, true).filter(({ tagName }) => tagName === tag),
    findOne(tag, attributes = {}) {
      const [found, ...others] = listDescendants(document, false).filter(
        (element) =>
          element.tagName === tag &&
          Object.entries(attributes).every(([name, value]) => attributeOf(element, name) === value),
      )
      if (!found || others.length > 0)
        throw new Error(`Not one <${tag}>: ${found ? 'more' : 'none'}`)
      return found
    },
    toHtml: () => serialize(document),
  }
}
