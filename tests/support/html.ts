import { defaultTreeAdapter, parse, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5'

export type Element = Tree.Element

/** A parsed document, including the contents of templates. */
export interface ParsedPage {
  everything(): Element[]
  all(tag: string): Element[]
  /** Returns the only element outside templates with this tag and these attributes. */
  one(tag: string, attributes?: Record<string, string>): Element
  /** Returns the document's HTML. */
  serialized(): string
}

const { isElementNode, isTextNode } = defaultTreeAdapter

function isTemplate(element: Element): element is Tree.Template {
  return element.tagName === 'template'
}

function within(node: Tree.ParentNode, templates: boolean): Element[] {
  return node.childNodes
    .filter(isElementNode)
    .flatMap((element) => [
      element,
      ...within(element, templates),
      ...(templates && isTemplate(element) ? within(element.content, templates) : []),
    ])
}

export function elementsOf(element: Element, tag: string): Element[] {
  return within(element, true).filter(({ tagName }) => tagName === tag)
}

export function textOf(element: Element | undefined): string {
  return (element?.childNodes ?? [])
    .map((node) => (isTextNode(node) ? node.value : isElementNode(node) ? textOf(node) : ''))
    .join('')
}

export function attributeOf(element: Element | undefined, name: string): string | undefined {
  return element?.attrs.find((attribute) => attribute.name === name)?.value
}

export function readPage(html: string): ParsedPage {
  const document = parse(html)
  return {
    everything: () => within(document, true),
    all: (tag) => within(document, true).filter(({ tagName }) => tagName === tag),
    one(tag, attributes = {}) {
      const [found, ...others] = within(document, false).filter(
        (element) =>
          element.tagName === tag &&
          Object.entries(attributes).every(([name, value]) => attributeOf(element, name) === value),
      )
      if (!found || others.length > 0)
        throw new Error(`Not one <${tag}>: ${found ? 'more' : 'none'}`)
      return found
    },
    serialized: () => serialize(document),
  }
}
