<?php

// Prints what is wrong in the types of the docblocks of a folder: a tag that phpdoc-parser does not
// understand, and a named type that no file defines.

declare(strict_types=1);

use PHPStan\PhpDocParser\Ast\Node;
use PHPStan\PhpDocParser\Ast\PhpDoc\InvalidTagValueNode;
use PHPStan\PhpDocParser\Ast\PhpDoc\TypeAliasImportTagValueNode;
use PHPStan\PhpDocParser\Ast\PhpDoc\TypeAliasTagValueNode;
use PHPStan\PhpDocParser\Ast\Type\IdentifierTypeNode;
use PHPStan\PhpDocParser\Lexer\Lexer;
use PHPStan\PhpDocParser\Parser\ConstExprParser;
use PHPStan\PhpDocParser\Parser\PhpDocParser;
use PHPStan\PhpDocParser\Parser\TokenIterator;
use PHPStan\PhpDocParser\Parser\TypeParser;

require '/usr/share/php/PHPStan/PhpDocParser/autoload.php';
require __DIR__ . '/autoload.php';

const SIMPLE = [
    'array', 'array-key', 'bool', 'callable', 'false', 'int', 'iterable', 'list', 'mixed', 'never', 'null',
    'object', 'resource', 'string', 'true', 'void',
];

/** @return list<string> */
function faultsIn(string $file): array
{
    $expressions = new ConstExprParser();
    $parser = new PhpDocParser(new TypeParser($expressions), $expressions);
    $lexer = new Lexer();
    $faults = [];
    $known = SIMPLE;
    $used = [];
    foreach (PhpToken::tokenize((string) file_get_contents($file)) as $token) {
        if (!$token->is(T_DOC_COMMENT)) {
            continue;
        }
        $doc = $parser->parse(new TokenIterator($lexer->tokenize($token->text)));
        foreach ($doc->getTags() as $tag) {
            if ($tag->value instanceof InvalidTagValueNode) {
                $faults[] = "$file:$token->line: $tag";
            } elseif ($tag->value instanceof TypeAliasImportTagValueNode) {
                $known[] = $tag->value->importedAlias;
                $from = (string) $tag->value->importedFrom;
                if (strpos(definitionsOf($from), "@phpstan-type {$tag->value->importedAlias} ") === false) {
                    $faults[] = "$file:$token->line: $from has no {$tag->value->importedAlias}";
                }
            } else {
                if ($tag->value instanceof TypeAliasTagValueNode) {
                    $known[] = $tag->value->alias;
                }
                foreach (namesIn($tag->value) as $name) {
                    $used[$name] = $token->line;
                }
            }
        }
    }
    foreach ($used as $name => $line) {
        if (!in_array($name, $known, true) && !isClass($file, (string) $name)) {
            $faults[] = "$file:$line: there is no type $name";
        }
    }
    return $faults;
}

/**
 * The names of types in a tag; keys of shapes and texts are none.
 *
 * @return list<string>
 */
function namesIn(object $node): array
{
    if ($node instanceof IdentifierTypeNode) {
        return [$node->name];
    }
    $names = [];
    foreach (get_object_vars($node) as $field => $inner) {
        foreach (is_array($inner) ? $inner : [$inner] as $each) {
            if ($field !== 'keyName' && $each instanceof Node) {
                array_push($names, ...namesIn($each));
            }
        }
    }
    return $names;
}

function definitionsOf(string $class): string
{
    $name = 'Karba\\' . preg_replace('/^\\\\?(Karba\\\\)?/', '', $class);
    return class_exists($name) ? (string) (new ReflectionClass($name))->getDocComment() : '';
}

/** A class of PHP or of this package, or one that the file imports. */
function isClass(string $file, string $name): bool
{
    $text = (string) file_get_contents($file);
    $plain = ltrim($name, '\\');
    preg_match('/^namespace (.*);$/m', $text, $space);
    return class_exists($plain) || interface_exists($plain)
        || class_exists("$space[1]\\$plain") || interface_exists("$space[1]\\$plain")
        || preg_match('/^use .*\b' . preg_quote($plain, '/') . ';$/m', $text) === 1;
}

$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1]));
foreach ($files as $file) {
    if ($file->getExtension() === 'php') {
        foreach (faultsIn($file->getPathname()) as $fault) {
            echo $fault, "\n";
        }
    }
}
