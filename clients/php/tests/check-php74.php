<?php

// Prints what PHP 7.4 would not read or know in the files of a folder. The parser of php-parser
// reads newer PHP too, so that each newer construct can be named.

declare(strict_types=1);

use PhpParser\Lexer\Emulative;
use PhpParser\Node;
use PhpParser\NodeFinder;
use PhpParser\Parser\Php7;

require '/usr/share/php/PhpParser/autoload.php';

const NEWER_NODES = [
    Node\UnionType::class,
    Node\IntersectionType::class,
    Node\AttributeGroup::class,
    Node\Expr\Match_::class,
    Node\Expr\NullsafeMethodCall::class,
    Node\Expr\NullsafePropertyFetch::class,
    Node\Expr\Throw_::class,
    Node\Stmt\Enum_::class,
    Node\VariadicPlaceholder::class,
];
const NEWER_TYPES = ['mixed', 'never', 'static', 'null', 'false', 'true'];
// Functions of PHP 8 that PHP 7.4 lacks, except fsync, which is asked for first.
const NEWER_FUNCTIONS = [
    'str_contains', 'str_starts_with', 'str_ends_with', 'get_debug_type', 'get_resource_id', 'fdiv',
    'preg_last_error_msg', 'array_is_list', 'fdatasync', 'enum_exists', 'array_find',
    'array_any', 'array_all', 'json_validate', 'mb_str_pad', 'ini_parse_quantity', 'curl_upkeep',
];

/** @return list<string> */
function newerIn(string $file): array
{
    $parser = new Php7(new Emulative(['usedAttributes' => ['startLine']]));
    $nodes = $parser->parse((string) file_get_contents($file)) ?? [];
    $found = [];
    foreach ((new NodeFinder())->findInstanceOf($nodes, Node::class) as $node) {
        $what = newerConstruct($node);
        if ($what !== null) {
            $found[] = "$file:{$node->getStartLine()}: $what";
        }
    }
    return $found;
}

function newerConstruct(Node $node): ?string
{
    foreach (NEWER_NODES as $class) {
        if ($node instanceof $class) {
            return $class;
        }
    }
    if ($node instanceof Node\Arg && $node->name !== null) {
        return 'a named argument';
    }
    if ($node instanceof Node\Param && $node->flags !== 0) {
        return 'a property in a constructor';
    }
    if ($node instanceof Node\Stmt\Catch_ && $node->var === null) {
        return 'a catch without a variable';
    }
    if ($node instanceof Node\Stmt\Property && ($node->flags & Node\Stmt\Class_::MODIFIER_READONLY) !== 0) {
        return 'a readonly property';
    }
    $type = $node->returnType ?? $node->type ?? null;
    if ($type instanceof Node\Identifier || $type instanceof Node\Name) {
        $name = $type->toLowerString();
        if (in_array($name, NEWER_TYPES, true)) {
            return "the type $name";
        }
    }
    if ($node instanceof Node\Expr\FuncCall && $node->name instanceof Node\Name) {
        $name = $node->name->toLowerString();
        if (in_array($name, NEWER_FUNCTIONS, true)) {
            return "the function $name";
        }
    }
    return null;
}

$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1]));
foreach ($files as $file) {
    if ($file->getExtension() === 'php') {
        foreach (newerIn($file->getPathname()) as $line) {
            echo $line, "\n";
        }
    }
}
